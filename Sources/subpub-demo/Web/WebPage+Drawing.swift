extension WebPage {
  /// The lanes: lines from a publisher to its subscribers, with states on their way.
  static let drawing = #"""
    let colors = {}
    function readColors() {
      const style = getComputedStyle(document.documentElement)
      const names = ["card", "rail", "faint", "flow", "wait", "bad"]
      colors = Object.fromEntries(names.map(name => [name, style.getPropertyValue(`--${name}`)]))
      for (const card of cards.values()) card.shape = ""
    }
    readColors()
    matchMedia("(prefers-color-scheme: dark)").onchange = readColors
    const phaseColor = state => state === "error" ? colors.bad : state === "loaded" ? colors.flow : colors.faint
    const travel = 1100
    // Subscriptions become rows beside their tracks; each context is a lane, which may lead to several.
    function showTracks(card, tracks, now) {
      while (card.rows.length < tracks.length) {
        const row = make("div", card.list, "row"), lines = [make("p", row), make("p", row)]
        const [name, rate, policy, counts] = [0, 0, 1, 1].map(line => make("span", lines[line]))
        card.rows.push({ row, name, rate, policy, counts })
      }
      while (card.rows.length > tracks.length) card.rows.pop().row.remove()
      const former = new Map(card.tracks.map(track => [track.key, track]))
      card.tracks = tracks.map(({ key, each, speed, news }, index) => {
        const { name, rate, policy, counts } = card.rows[index]
        const isYou = each.label === you
        set(name, isYou ? "this page" : each.label ?? each.subscriberType, isYou ? "you" : "")
        set(rate, `${rounded(speed)}/s`)
        set(policy, each.buffering)
        // One state that is pending is about to be delivered.
        const waits = each.pending > 1 ? each.pending : 0
        const words = [waits ? `${short(waits)} pending` : "", each.skipped ? `${short(each.skipped)} skipped` : ""]
        set(counts, words.filter(Boolean).join(" · "), waits ? "wait" : "")
        const track = former.get(key) ?? { key, dots: [], pile: 0, glow: 0 }
        Object.assign(track, { context: each.context, waits, most: each.highWater })
        if (news.got) track.glow = 1
        if (!isStill.matches) {
          const [flow, fall] = [Math.min(2, news.put), Math.min(1, news.skipped)]
          for (let dot = 0; dot < flow; dot++) track.dots.push({ from: now + dot * 100, color: phaseColor(card.state) })
          if (fall) track.dots.push({ from: now + 50, falls: true, color: colors.faint })
        }
        return track
      })
      const shape = tracks.map(track => track.key).join("\n")
      if (card.shape !== shape) layOut(card, shape)
    }
    function layOut(card, shape) {
      card.shape = shape
      const lanes = []
      card.tracks.forEach((track, index) => {
        if (lanes.at(-1)?.context !== track.context) lanes.push({ context: track.context, rows: [] })
        lanes.at(-1).rows.push(index)
        track.lane = lanes.at(-1)
      })
      while (card.labels.length < lanes.length) card.labels.push(make("span", card.list, "lane"))
      while (card.labels.length > lanes.length) card.labels.pop().remove()
      const [width, height] = fit(card.canvas)
      const fork = width - (isNarrow.matches ? 56 : 96)
      lanes.forEach(({ context, rows }, index) => {
        lanes[index].y = (rows[0] + rows.at(-1) + 1) / 2 * rowHeight
        set(card.labels[index], context.replace("subpub-demo.", ""))
        card.labels[index].style.top = `${lanes[index].y - 16}px`
        card.labels[index].title = context
      })
      const start = isNarrow.matches ? 6 : height / 2, bend = isNarrow.matches ? 36 : 60
      card.start = start
      card.tracks.forEach((track, index) => {
        const y = (index + .5) * rowHeight, ease = part => part * part * (3 - 2 * part)
        const at = x => x < bend ? start + (track.lane.y - start) * ease(Math.max(0, x - 6) / (bend - 6))
          : x < fork ? track.lane.y
          : track.lane.y + (y - track.lane.y) * ease(Math.min(1, (x - fork) / 40))
        Object.assign(track, { at, y, path: new Path2D() })
        track.path.moveTo(6, at(6))
        for (let x = 9; x < width - 8; x += 3) track.path.lineTo(x, at(x))
      })
      Object.assign(card, { width, height, isDrawn: false })
    }
    function fit(canvas) {
      const [width, height, ratio] = [canvas.clientWidth, canvas.clientHeight, devicePixelRatio]
      Object.assign(canvas, { width: width * ratio, height: height * ratio })
      canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0)
      return [width, height]
    }
    function circle(pen, x, y, radius) {
      pen.beginPath()
      pen.arc(x, y, radius, 0, 7)
      pen.fill()
    }
    // Up to ten, each block is a state that waits; then ten times as many are nine blocks more.
    const blocks = waits => waits <= 10 ? waits : 10 + 9 * Math.log10(waits / 10)
    function drawLanes(card, now) {
      if (!card.shape && card.tracks.length) layOut(card, card.tracks.map(track => track.key).join("\n"))
      const isBusy = card.tracks.some(({ dots, glow, pile, waits }) =>
        dots.length || glow > 0 || Math.abs(blocks(waits) - pile) > .05)
      if (card.isDrawn && !isBusy) return
      card.isDrawn = true
      const pen = card.canvas.getContext("2d"), end = card.width - 8
      pen.clearRect(0, 0, card.width, card.height)
      pen.lineWidth = 2
      for (const track of card.tracks) {
        pen.strokeStyle = colors.rail
        pen.stroke(track.path)
      }
      for (const track of card.tracks) drawTrack(pen, card, track, end, now)
      pen.fillStyle = phaseColor(card.state)
      circle(pen, 6, card.start, 5)
    }
    function drawTrack(pen, card, track, end, now) {
      const goal = blocks(track.waits)
      track.pile += (goal - track.pile) * .15
      const most = Math.floor(card.width * .55 / 6), count = Math.min(most, Math.round(track.pile))
      const stop = end - 12 - count * 6
      track.dots = track.dots.filter(dot => now - dot.from < travel)
      for (const dot of track.dots) {
        const part = (now - dot.from) / travel, x = 6 + part * (end - 6)
        if (part < 0 || (count && x > stop)) continue
        const fall = dot.falls ? Math.max(0, part - .72) / .28 : 0
        pen.globalAlpha = 1 - fall
        pen.fillStyle = dot.color
        circle(pen, dot.falls ? Math.min(x, 6 + .8 * (end - 6)) : x, track.at(x) + fall * fall * 16, 3)
      }
      pen.globalAlpha = 1
      pen.fillStyle = colors.wait
      const block = (place, width) => {
        const x = end - 12 - place * 6
        pen.fillRect(x, track.at(x) - 5, width, 10)
      }
      for (let place = 0; place < count; place++) block(place, 4)
      // The most that have ever waited, if that was a crowd.
      const peak = Math.min(most, Math.round(blocks(track.most)))
      if (peak > count + 9) {
        pen.globalAlpha = .5
        block(peak, 2)
        pen.globalAlpha = 1
      }
      track.glow = Math.max(0, track.glow - .06)
      const color = track.waits ? colors.wait : phaseColor(card.state)
      pen.fillStyle = colors.card
      circle(pen, end, track.y, 6)
      pen.strokeStyle = color
      pen.beginPath()
      pen.arc(end, track.y, 5, 0, 7)
      pen.stroke()
      pen.globalAlpha = track.glow
      pen.fillStyle = color
      circle(pen, end, track.y, 4)
      pen.globalAlpha = 1
    }
    // The last minute: the value or, without a measure, the states a second; red where loads failed.
    function drawSpark(card, now) {
      const [width, height] = fit(card.graph), pen = card.graph.getContext("2d")
      const most = Math.max(...card.samples.map(each => each.level)) * 1.15 || 1
      const span = Math.max(10000, now - card.samples[0]?.now || 0)
      const place = each => [width * (1 - (now - each.now) / span), height - 5 - each.level / most * (height - 8)]
      // Without a gap, a part of one color goes on from the end of the one before.
      const parts = []
      card.samples.forEach((each, index) => {
        const before = card.samples[index - 1], isNew = !before || each.now - before.now > 2000
        if (isNew || before.state !== each.state) parts.push({ state: each.state, points: isNew ? [] : [place(before)] })
        parts.at(-1).points.push(place(each))
      })
      pen.lineWidth = 1.5
      for (const { state, points } of parts) {
        const left = points[0][0], right = points.at(-1)[0], line = new Path2D()
        for (const [x, y] of points) line.lineTo(x, y)
        const area = new Path2D(line)
        area.lineTo(right, height - 3)
        area.lineTo(left, height - 3)
        pen.fillStyle = pen.strokeStyle = phaseColor(state)
        pen.globalAlpha = .14
        pen.fill(area)
        pen.globalAlpha = 1
        pen.stroke(line)
        pen.fillRect(left, height - 2, right - left, 2)
      }
    }
    """#
}
