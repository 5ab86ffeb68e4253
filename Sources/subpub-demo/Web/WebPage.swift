/// The page that draws the board and the picture in a browser.
///
/// It is one document that loads nothing else, and the browser is told to use no style and no script but those that
/// carry a number of this run.
enum WebPage {
  private static let number = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()

  /// The lines of the head that only the page has.
  static let headers =
    "Content-Security-Policy: default-src 'none'; style-src 'nonce-\(number)'; script-src 'nonce-\(number)'; "
    + "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    + "X-Content-Type-Options: nosniff\r\n"

  static let html = """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>subpub-demo</title>
    <link rel="icon" href="data:image/svg+xml,\(icon)">
    <style nonce="\(number)">
    \(style)
    </style>
    \(content)
    <script nonce="\(number)">
    \(connecting)
    \(showing)
    \(drawing)
    start()
    </script>
    </html>
    """

  private static let icon =
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' fill='none' stroke='%230b84ad' stroke-width='1.6'>"
    + "<path d='M4 8C9 8 8 3 13 3M4 8h9M4 8c5 0 4 5 9 5'/><circle cx='3.4' cy='8' r='2.4' fill='%230b84ad'/></svg>"

  private static let content = #"""
    <header>
      <h1>subpub-demo</h1>
      <p class="status"><i></i><span id="connection">connecting</span></p>
      <div class="switches">
        <button id="fails" role="switch" aria-checked="false"><i></i>make loads fail</button>
        <button id="isSlow" role="switch" aria-checked="false"><i></i>slow down a subscriber</button>
      </div>
    </header>
    <main>
      <section class="sums">
        <div><b id="states">0</b><span>states/s</span></div>
        <div><b id="deliveries">0</b><span>deliveries/s</span></div>
        <div><b id="pending">0</b><span>pending</span></div>
        <div><b id="skipped">0</b><span>skipped</span></div>
        <div><b id="behind">0</b><span>fell behind</span></div>
        <figure>
          <figcaption><span>from publish to delivery</span><span id="median"></span></figcaption>
          <div id="delays"></div>
          <p><span>1 µs</span><span>1 ms</span><span>1 s</span></p>
        </figure>
      </section>
      <p class="heads"><span>publishers</span><span>lanes, one for each context</span><span>subscribers</span></p>
      <section id="publishers"></section>
    </main>
    <footer>
      <p><b class="dot"></b>a state on its way, of which at most ten a second are drawn</p>
      <p><b class="blocks"></b>states that wait for their subscriber</p>
      <p><b class="fall"></b>a state that was skipped</p>
      <p class="event"><span>event <code id="event">none</code>, <span id="count">0</span> received</span></p>
    </footer>
    """#
}
