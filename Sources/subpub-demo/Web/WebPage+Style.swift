extension WebPage {
  /// How it looks: light or dark as the reader likes it, in one column on a phone.
  static let style = #"""
    :root {
      color-scheme: light dark;
      --ground: #f4f6f8; --card: #fff; --line: #e4e8ed; --rail: #d3dae2;
      --ink: #18212c; --soft: #566272; --faint: #8b96a5; --flow: #0b84ad; --wait: #d97e06; --bad: #d0323f;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #0c1016; --card: #141a22; --line: #222a35; --rail: #303a48;
        --ink: #e8edf4; --soft: #a0acbb; --faint: #6b7787; --flow: #45c0ea; --wait: #f2ab3c; --bad: #ff6a70;
      }
    }
    * { box-sizing: border-box; margin: 0 }
    body {
      background: var(--ground); color: var(--ink); font: 15px/1.4 system-ui, sans-serif;
      font-variant-numeric: tabular-nums; margin: 0 auto; max-width: 1180px; padding: 20px 24px 28px;
    }
    header { display: flex; flex-wrap: wrap; align-items: center; gap: 10px 16px; margin-bottom: 18px }
    h1 { font-size: 20px; letter-spacing: -.01em }
    .status { color: var(--soft); font-size: 13px; display: flex; align-items: center; gap: 7px }
    .status i { width: 8px; height: 8px; border-radius: 50%; background: #2aa865 }
    .away .status i { background: var(--wait) }
    .switches { display: flex; flex-wrap: wrap; gap: 8px; margin-left: auto }
    button {
      font: inherit; font-size: 13px; color: var(--ink); background: var(--card); border: 1px solid var(--line);
      border-radius: 99px; padding: 6px 14px 6px 8px; display: flex; align-items: center; gap: 8px; cursor: pointer;
    }
    button:focus-visible { outline: 2px solid var(--flow); outline-offset: 2px }
    button i { width: 28px; height: 16px; border-radius: 8px; background: var(--rail); position: relative }
    button i::after {
      content: ""; position: absolute; inset: 2px auto 2px 2px; width: 12px; border-radius: 50%; background: #fff;
      transition: transform .15s;
    }
    button[aria-checked=true] i::after { transform: translateX(12px) }
    #fails[aria-checked=true] { border-color: var(--bad) } #fails[aria-checked=true] i { background: var(--bad) }
    #isSlow[aria-checked=true] { border-color: var(--wait) } #isSlow[aria-checked=true] i { background: var(--wait) }
    main { transition: opacity .3s, filter .3s }
    .away main { opacity: .4; filter: grayscale(1) } .away .switches { opacity: .4; pointer-events: none }
    .card, .sums > * { background: var(--card); border: 1px solid var(--line); border-radius: 12px }
    .sums { display: grid; grid-template-columns: repeat(5, 1fr) minmax(400px, 3.6fr); gap: 10px; margin-bottom: 10px }
    .sums > * { padding: 12px 14px }
    .sums > div { display: flex; flex-direction: column; justify-content: center }
    .sums b { font-size: 26px; font-weight: 600; letter-spacing: -.02em; line-height: 1.15; white-space: nowrap }
    b.wait, .wait { color: var(--wait) } b.bad, .bad { color: var(--bad) }
    figcaption { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 10px; white-space: nowrap }
    #delays { display: flex; align-items: flex-end; gap: 2px; height: 46px; margin-top: 4px }
    #delays i {
      flex: 1; height: 100%; background: var(--flow); border-radius: 2px 2px 0 0; transform-origin: bottom;
      transform: scaleY(0); transition: transform .2s linear;
    }
    #delays i.late { background: var(--wait) }
    figure p { border-top: 1px solid var(--rail); padding-top: 2px; display: grid; grid-template-columns: 10fr 10fr 4fr }
    .heads { display: grid; grid-template-columns: 350px 1fr 200px; padding: 4px 17px 6px }
    .heads, .sums span, figure p { color: var(--soft); font-size: 12px }
    #publishers { display: grid }
    .card { display: grid; grid-template-columns: 300px 1fr; margin-bottom: 10px; contain: content }
    .state { padding: 12px 0 12px 16px; min-width: 0; display: flex; flex-direction: column }
    h2 { font-size: 15px; display: flex; gap: 8px; align-items: baseline }
    h2 > :first-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
    h2 > :not(:first-child) { font-size: 12px; font-weight: 400; color: var(--soft); white-space: nowrap }
    h2 > .bad { color: var(--bad) } h2 > .wait { color: var(--wait) }
    .value {
      font-size: 13px; line-height: 18px; color: var(--soft); overflow: hidden; overflow-wrap: anywhere;
      display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; margin: 2px 0 6px;
    }
    .spark { display: flex; align-items: end; gap: 10px; flex: 1; min-height: 34px; max-height: 60px; margin-top: auto }
    .spark canvas { flex: 1; height: 100%; width: 0 }
    .spark span { font-size: 12px; color: var(--soft); width: 66px; white-space: nowrap }
    .lanes { position: relative; padding: 10px 16px 10px 0; min-width: 0; display: flex; flex-direction: column;
      justify-content: center }
    .lanes > div { position: relative }
    .lanes canvas { position: absolute; left: 0; top: 0; height: 100%; width: calc(100% - 208px) }
    .lane {
      position: absolute; left: 66px; max-width: calc(100% - 208px - 130px); font: 11px/14px ui-monospace, monospace;
      color: var(--soft); overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
    }
    .row { height: 36px; margin-left: calc(100% - 200px); padding-top: 3px; white-space: nowrap }
    .row p { display: flex; justify-content: space-between; gap: 8px; font-size: 14px; line-height: 17px }
    .row p > :first-child { overflow: hidden; text-overflow: ellipsis }
    .row p + p { font-size: 11.5px; line-height: 14px; color: var(--faint) }
    .row .you { font-weight: 600 }
    footer { color: var(--soft); font-size: 12px; display: flex; flex-wrap: wrap; gap: 4px 22px; padding: 8px 4px 0 }
    footer p { display: flex; align-items: center; gap: 7px } .event { width: 100% } code { font-size: 12px }
    .dot, .fall { width: 7px; height: 7px; border-radius: 50%; background: var(--flow) }
    .fall { background: var(--faint) }
    .blocks { width: 16px; height: 9px; background: repeating-linear-gradient(90deg, var(--wait) 0 4px, #0000 4px 6px) }
    @media (max-width: 820px) {
      body { padding: 14px 12px 24px }
      .switches { margin-left: 0; width: 100% } button { font-size: 12px; padding-right: 10px }
      .sums { grid-template-columns: repeat(6, 1fr) } .sums > * { padding: 9px 12px; grid-column: span 2 }
      .sums > :nth-child(4), .sums > :nth-child(5) { grid-column: span 3 } .sums figure { grid-column: 1 / -1 }
      .sums b { font-size: 21px }
      .heads { display: none } .card { grid-template-columns: 1fr } .state { padding: 12px 14px 4px }
      .lanes { padding: 4px 14px 8px } .lanes canvas { width: calc(100% - 148px) }
      .row { margin-left: calc(100% - 140px) }
      .lane { left: 40px; max-width: calc(100% - 148px - 56px) }
      .spark { height: 34px; flex: none }
    }
    """#
}
