extension WebPage {
  /// The connection: states and pictures arrive as they like, and are kept until the next frame.
  static let connecting = #"""
    const find = id => document.getElementById(id)
    let count = 0, newest = null, picture = null, you = "", trouble = {}
    function connection(text, isLive = false) {
      find("connection").textContent = text
      document.body.classList.toggle("away", !isLive)
    }
    // The first connection begins behind the state; the browser names the last event when it comes back.
    function follow(state) {
      newest = { lastEventId: state.id, data: JSON.stringify(state.rows) }
      const events = new EventSource(`/events?pictures&after=${state.id}`)
      let hasEnded = false
      // Another server may count from zero.
      events.onopen = () => { hasEnded = false; past.length = 0; connection("live", true) }
      // After the end, the browser goes on trying, in case the server is started again.
      events.onerror = () => {
        if (events.readyState === EventSource.CLOSED) connection("the server refuses the connection")
        else if (!hasEnded) connection("reconnecting")
      }
      events.onmessage = event => { count++; newest = event }
      events.addEventListener("picture", event => { picture = event.data })
      events.addEventListener("you", event => { you = event.data })
      events.addEventListener("end", () => { hasEnded = true; connection("the server has ended") })
      requestAnimationFrame(frame)
    }
    function start() {
      fetch("/state").then(answer => {
        if (!answer.ok) throw new Error(`status ${answer.status}`)
        return answer.json()
      }).then(follow).catch(error => {
        connection(`failed: ${error.message}; trying again`)
        setTimeout(start, 2000)
      })
    }
    // What a switch shows is what the server says, to everybody.
    for (const name of ["fails", "isSlow"]) find(name).onclick = () => {
      const body = JSON.stringify({ [name]: !trouble[name] })
      fetch("/switches", { method: "POST", headers: { "Content-Type": "application/json" }, body }).catch(() => {})
    }
    // However much has arrived, a frame shows only the newest, and text changes ten times a second.
    let shown = 0
    function frame(now) {
      requestAnimationFrame(frame)
      if (newest && cards.size && now - shown >= 100) { showStates(newest); newest = null; shown = now }
      if (picture) { const next = JSON.parse(picture); picture = null; showPicture(next, now) }
      for (const card of cards.values()) drawLanes(card, now)
    }
    """#

  /// The text of the page, all of it from elsewhere: it is only ever the text of an element.
  static let showing = #"""
    const cards = new Map(), past = [], rowHeight = 36
    const isNarrow = matchMedia("(max-width: 820px)"), isStill = matchMedia("(prefers-reduced-motion: reduce)")
    function make(kind, parent, name = "") {
      const element = document.createElement(kind)
      element.className = name
      parent.append(element)
      return element
    }
    function set(element, text, name) {
      if (element.shownText !== text) element.textContent = element.shownText = text
      if (name !== undefined && element.className !== name) element.className = name
    }
    const rounded = number => number < 10 ? number.toFixed(1) : Math.round(number).toLocaleString("en")
    const short = number => number < 1e5 ? number.toLocaleString("en") : `${(number / 1e3).toPrecision(3) / 1e3}M`
    function card(name) {
      if (cards.has(name)) return cards.get(name)
      const box = make("article", find("publishers"), "card"), left = make("div", box, "state")
      const title = make("h2", left), value = make("p", left, "value"), spark = make("div", left, "spark")
      const list = make("div", make("div", box, "lanes"))
      set(make("span", title), name)
      const card = {
        box, phase: make("span", title), note: make("span", title), value, graph: make("canvas", spark),
        level: make("span", spark), list, canvas: make("canvas", list), labels: [], rows: [],
        state: "unknown", fraction: null, samples: [], tracks: [], shape: "",
      }
      // Without a shape, it is laid out again.
      new ResizeObserver(() => { card.shape = "" }).observe(list)
      cards.set(name, card)
      return card
    }
    // The pictures tell which cards there are. While a load is active, a card keeps what it shows: clearing it each
    // time would flicker.
    function showStates(event) {
      set(find("event"), event.lastEventId)
      set(find("count"), count.toLocaleString("en"))
      for (const row of JSON.parse(event.data)) {
        const shown = cards.get(row.name)
        if (!shown || (row.phase === "loading" && shown.state !== "unknown")) continue
        shown.state = row.phase
        shown.fraction = row.fraction
        const former = row.text === null ? "" : ` (was ${row.text})`
        set(shown.value, row.error === null ? row.text ?? "" : row.error + former)
      }
    }
    // Counts become rates over the last three seconds, and delays those of the last ten.
    function showPicture(next, now) {
      const counts = new Map(), sums = { states: 0, deliveries: 0, pending: 0, skipped: 0 }
      const recent = past.filter(each => next.seconds - each.seconds < 3), last = recent.at(-1)
      const since = (entry, key) => entry?.counts.has(key) ? Math.max(0, counts.get(key) - entry.counts.get(key)) : 0
      const add = (key, number) => {
        counts.set(key, number)
        const first = recent.find(each => each.counts.has(key))
        return first ? since(first, key) / (next.seconds - first.seconds) : 0
      }
      for (const [index, publisher] of next.publishers.entries()) {
        const name = publisher.label, shown = card(name), states = add(name, publisher.version)
        shown.box.style.order = index
        showPublisher(shown, name, publisher, states, next.fellBehind[name] ?? 0, now)
        const tracks = publisher.subscriptions.map(each => {
          const key = `${name}\n${each.context}\n${each.label}`, speed = add(key, each.delivered)
          add(`${key} put`, each.delivered + each.pending)
          add(`${key} skipped`, each.skipped)
          sums.deliveries += speed
          sums.pending += each.pending
          sums.skipped += each.skipped
          const news = { put: since(last, `${key} put`), skipped: since(last, `${key} skipped`), got: since(last, key) }
          return { key, each, speed, news }
        })
        sums.states += states
        showTracks(shown, tracks, now)
      }
      for (const [name, shown] of cards) {
        if (!next.publishers.some(each => each.label === name)) { shown.box.remove(); cards.delete(name) }
      }
      set(find("states"), rounded(sums.states))
      set(find("deliveries"), rounded(sums.deliveries))
      set(find("pending"), short(sums.pending), sums.pending > 20 ? "wait" : "")
      set(find("skipped"), short(sums.skipped))
      const behind = Object.values(next.fellBehind).reduce((sum, number) => sum + number, 0)
      set(find("behind"), short(behind), behind ? "bad" : "")
      past.push({ seconds: next.seconds, counts, delays: next.delays })
      while (next.seconds - past[0].seconds > 10) past.shift()
      showDelays(next.delays.map((number, index) => Math.max(0, number - past[0].delays[index])))
      trouble = next.trouble
      for (const name of ["fails", "isSlow"]) find(name).setAttribute("aria-checked", String(trouble[name]))
    }
    function showPublisher(card, name, publisher, states, behind, now) {
      if (card.state === "unknown") card.state = publisher.phase
      const isLate = publisher.isStale || publisher.origin === "cached"
      const words = [card.state, publisher.origin === "cached" ? "cached" : "", publisher.isStale ? "stale" : ""]
      set(card.phase, words.filter(Boolean).join(", "), card.state === "error" ? "bad" : isLate ? "wait" : "")
      set(card.note, behind ? `${short(behind)} fell behind` : "", "bad")
      // The board isn't among the states that it holds.
      if (name === "board") set(card.value, `the states above as JSON, version ${short(publisher.version)}`)
      set(card.level, card.fraction === null ? `${rounded(states)}/s` : `${(card.fraction * 100).toFixed(1)} %`)
      if (past.length) card.samples.push({ now, level: card.fraction ?? states, state: card.state })
      while (now - card.samples[0]?.now > 60000) card.samples.shift()
      drawSpark(card, now)
    }
    function showDelays(delays) {
      const total = delays.reduce((sum, number) => sum + number, 0), most = Math.max(1, ...delays), box = find("delays")
      while (box.children.length < delays.length) make("i", box, box.children.length > 17 ? "late" : "")
      delays.forEach((number, index) => { box.children[index].style.transform = `scaleY(${Math.sqrt(number / most)})` })
      const within = part => {
        let [index, sum] = [0, delays[0]]
        while (sum < total * part) sum += delays[++index]
        const time = 2 ** index
        return time < 1000 ? `${time} µs` : time < 1e6 ? `${time >> 10} ms` : `${time >> 20} s`
      }
      set(find("median"), total ? `half within ${within(.5)}, 99 % within ${within(.99)}` : "")
    }
    """#
}
