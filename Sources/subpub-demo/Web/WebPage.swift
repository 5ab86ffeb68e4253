/// The page that shows the board in a browser.
enum WebPage {
  static let html = """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>subpub-demo</title>
    <style>
      body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #222 }
      table { border-collapse: collapse; width: 100% }
      td, th { text-align: left; padding: .4rem .6rem; border-bottom: 1px solid #ddd; vertical-align: top }
      td:first-child { font-weight: 600 } td:nth-child(-n+2) { white-space: nowrap }
      meter { width: 8rem }
      .loading { opacity: .7 } .error { color: #a00 } .note { color: #777; font-size: .85em }
    </style>
    <h1>subpub-demo</h1>
    <table><thead><tr><th>publisher<th>state<th>value<th></tr></thead><tbody id="rows"></tbody></table>
    <p class="note"><span id="connection">connecting</span> · event <code id="event">none</code>,
      <span id="count">0</span> received</p>
    <script>
      const find = id => document.getElementById(id)
      let count = 0
      function connection(text) { find("connection").textContent = text }
      function show(id, rows) {
        find("event").textContent = id
        find("rows").replaceChildren(...rows.map(row => {
          const line = document.createElement("tr")
          line.className = row.phase
          for (const text of [row.name, `${row.phase} ${row.version}`, row.error ?? row.text ?? ""])
            line.insertCell().textContent = text
          const bar = line.insertCell()
          if (row.fraction !== null) bar.append(Object.assign(document.createElement("meter"), { value: row.fraction }))
          return line
        }))
      }
      // The first connection begins behind the state; the browser names the last event when it comes back.
      function follow(state) {
        show(state.id, state.rows)
        const events = new EventSource(`/events?after=${state.id}`)
        let hasEnded = false
        events.onopen = () => { hasEnded = false; connection("connected") }
        // After the end, the browser goes on trying, in case the server is started again.
        events.onerror = () => {
          if (events.readyState === EventSource.CLOSED) connection("the server refuses the connection")
          else if (!hasEnded) connection("reconnecting")
        }
        events.onmessage = event => {
          find("count").textContent = ++count
          show(event.lastEventId, JSON.parse(event.data))
        }
        events.addEventListener("end", () => { hasEnded = true; connection("the server has ended") })
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
      start()
    </script>
    </html>
    """
}
