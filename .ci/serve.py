"""Drives the demo's web server; see .ci/serve."""

import json
import os
import re
import resource
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

program, seconds, count, laggard_count = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
failures = []


def check(is_so, what):
    print("ok   " if is_so else "WRONG", what, flush=True)
    if not is_so:
        failures.append(what)


def connect(path="/events", headers="", size=None):
    client = socket.socket()
    if size:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, size)
    client.connect((host, port))
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n".encode())
    return client


def answer(client):
    client.settimeout(10)
    text = b""
    try:
        while part := client.recv(65536):
            text += part
    except ConnectionResetError:
        pass
    return text


def memory():
    with open(f"/proc/{server.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024


# It begins with plain text, so that most of an event is skipped quickly.
identifier = re.compile(rb"\nid: (\d+)-(\d+)\n")


class Reader:
    """A client that reads: it keeps the identifiers of its events, and counts what is wrong with them."""

    def __init__(self, last=None):
        self.last, self.events, self.wrong, self.ended, self.rest = last, 0, 0, False, b""
        self.open()

    def open(self):
        headers = f"Last-Event-ID: {self.last[0]}-{self.last[1]}\r\n" if self.last else ""
        self.socket, self.rest = connect(headers=headers), b""
        self.socket.setblocking(False)

    def receive(self):
        data = self.socket.recv(65536)
        if not data:
            return False
        # Whole events only. There are 90,000 a second, so no statement of Python runs for each line.
        whole, _, self.rest = (b"\n" + self.rest + data).rpartition(b"\n\n")
        if ids := identifier.findall(whole):
            epoch, version = map(int, ids[0])
            expected = [(b"%d" % epoch, b"%d" % next) for next in range(version, version + len(ids))]
            if ids != expected or (self.last and (epoch, version) != (self.last[0], self.last[1] + 1)):
                self.wrong += 1
            self.last, self.events = tuple(map(int, ids[-1])), self.events + len(ids)
            newest[0] = max(newest[0], self.last[1])
        self.ended = self.ended or b"event: end\n" in whole
        return True


def start_server(interval, files=None):
    """Starts a server, which may open so many files."""
    global server, host, port
    server = subprocess.Popen(
        [program, "--serve", "0", "--interval", interval, "--plain"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, preexec_fn=files and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))))
    for line in server.stdout:
        if found := re.match(r"serving http://([\d.]+):(\d+)/", line):
            host, port = found.group(1), int(found.group(2))
            break
    # Its output must not fill the pipe.
    threading.Thread(target=server.stdout.read, daemon=True).start()


def status(client):
    return answer(client).split(b"\r\n")[0].removeprefix(b"HTTP/1.1 ").decode()


def check_crowd():
    """More clients than the server may open files, some of them malformed."""
    start_server("3600", files=200)
    crowd, malformed = [], []
    for number in range(280):
        if number % 3:
            crowd.append(connect())
        else:
            malformed.append(socket.create_connection((host, port)))
            malformed[-1].sendall(b"nonsense\r\n\r\n")
    # Those who are served get the beginning of their answer.
    served = 0
    for client in crowd:
        client.settimeout(0.5 if served else 5)
        try:
            served += client.recv(1024) != b""
        except TimeoutError:
            break
    check(50 <= served < 200, f"{served} of 280 clients are served by a process that may open 200 files")
    used = cpu_time()
    time.sleep(2)
    check(server.poll() is None and cpu_time() - used < 0.2, "it doesn't spin while it is full")
    check(len(os.listdir(f"/proc/{server.pid}/fd")) < 190, "some files are left for others")
    for client in crowd:
        client.close()
    asked = time.monotonic()
    check(status(connect("/state")) == "200 OK", "clients that have gone make room, though there is one state an hour")
    check(time.monotonic() - asked < 2, "at once")
    check({status(client) for client in malformed} == {"400 Bad Request"}, "every request gets an answer then")

    # Its files are taken behind its back: nobody can be accepted.
    limits = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (4, limits[1]))
    waiting, used = connect("/state"), cpu_time()
    time.sleep(2)
    check(server.poll() is None and cpu_time() - used < 0.2, "it doesn't spin while it can accept nobody")
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, limits)
    check(status(waiting) == "200 OK", "and accepts again when it can")
    end_server()


def cpu_time():
    with open(f"/proc/{server.pid}/stat") as stat:
        fields = stat.read().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def end_server():
    server.send_signal(signal.SIGTERM)
    check(server.wait(timeout=10) == 0, f"the status is {server.returncode}")


def check_burst():
    """Clients that come while the server is busy."""
    with open("/proc/sys/net/core/somaxconn") as file:
        burst = min(600, int(file.read()))
    start_server("3600")
    server.send_signal(signal.SIGSTOP)
    clients = []
    try:
        for _ in range(burst):
            clients.append(socket.create_connection((host, port), timeout=2))
    except TimeoutError:
        pass
    server.send_signal(signal.SIGCONT)
    check(len(clients) == burst, f"{len(clients)} of {burst} clients connect at once to a server that doesn't run")
    for client in clients:
        client.sendall(f"GET /state HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    check({status(client) for client in clients} == {"200 OK"}, "all of them are served")
    end_server()


# What a browser would call, for the page's script.
browser = """
const texts = {}, elements = {}, sources = [], timers = [], frames = [], sent = []
const pen = new Proxy({}, { get: () => () => {} })
const element = id => ({
  style: {}, children: [], clientWidth: 300, clientHeight: 200, classList: { toggle(name, isOn) { texts[name] = isOn } },
  set textContent(text) { texts[id] = String(text) }, setAttribute(name, value) { texts[id] = value },
  append(child) { this.children.push(child) }, remove() {}, getContext: () => pen })
globalThis.document = {
  getElementById: id => elements[id] ??= element(id), createElement: () => element(), body: element() }
globalThis.getComputedStyle = () => ({ getPropertyValue: () => "#000" })
globalThis.matchMedia = () => ({ matches: false })
globalThis.requestAnimationFrame = action => frames.push(action)
globalThis.ResizeObserver = class { observe() {} }
globalThis.Path2D = class { moveTo() {} lineTo() {} }
globalThis.devicePixelRatio = 1
globalThis.EventSource = class {
  static CLOSED = 2
  constructor(url) { this.url = url; this.readyState = 0; this.heard = {}; sources.push(this) }
  addEventListener(name, handler) { this.heard[name] = handler }
}
globalThis.setTimeout = action => timers.push(action)
let answers = [async () => { throw new Error("unreachable") }, async () => ({ ok: false, status: 503 }),
  async () => ({ ok: true, json: async () => ({ id: "1-2", rows: [] }) })]
globalThis.fetch = async (url, options) => {
  if (!options) return answers.shift()()
  sent.push(options.method, url, options.body)
}
const settled = async () => { for (let turn = 0; turn < 20; turn++) await null; return texts.connection }
const states = []
"""
steps = """
;(async () => {
  for (let turn = 0; turn < 2; turn++) { states.push(await settled()); timers.shift()() }
  await settled()
  const source = sources[0]
  states.push(source.url)
  states.push(texts.away)
  source.onopen(); states.push(texts.connection, texts.away)
  for (let time = 0; time < 600; time += 10) {
    if (time % 200 === 0) source.heard.picture({ data: pictures[time / 200] })
    source.onmessage({ lastEventId: `1-${time}`, data: rows })
    frames.shift()(time)
  }
  states.push(Number(texts.states) > 50, Number(texts.deliveries) > 100, texts.event, texts.fails)
  elements.fails.onclick()
  states.push(...sent)
  source.onerror(); states.push(texts.connection, texts.away)
  source.onopen(); source.heard.end(); source.onerror(); states.push(texts.connection)
  source.onopen(); states.push(texts.connection)
  source.readyState = 2; source.onerror(); states.push(texts.connection)
  console.log(JSON.stringify(states))
})()
"""


def check_page(html):
    """The script of the page, with a browser that is made up."""
    if not shutil.which("node"):
        return print("skipped: the page's script needs node")
    script = re.search(r"<script nonce=[^>]*>(.*)</script>", html, re.S).group(1)
    rows = json.loads(answer(connect("/state")).split(b"\r\n\r\n", 1)[1])["rows"]
    constants = f"const pictures = {json.dumps(pictures(3))}, rows = {json.dumps(json.dumps(rows))}\n"
    run = subprocess.run(["node", "-e", browser + constants + script + steps], capture_output=True, text=True)
    expected = [
        "failed: unreachable; trying again", "failed: status 503; trying again", "/events?pictures&after=1-2", True,
        "live", False, True, True, "1-500", "false", "POST", "/switches", '{"fails":true}',
        "reconnecting", True, "the server has ended", "live", "the server refuses the connection"]
    check(run.stdout.strip() == json.dumps(expected, separators=(",", ":")), f"the page tells how it is connected, and draws what it receives: {(run.stdout + run.stderr).strip()}")


def pictures(number):
    """The next pictures, as the page receives them."""
    client, text = connect("/events?pictures"), b""
    while len(found := re.findall(rb"\nevent: picture\ndata: (.*)\n\n", text)) < number:
        text += client.recv(65536)
    client.close()
    return [picture.decode() for picture in found[:number]]


# The clients are files of this process.
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
# Three publishers make two states in each interval, so that is 200 states a second.
start_server("0.027")
try:
    newest = [0]
    check(host == "127.0.0.1", "it listens on this machine only")
    check(answer(connect("/nothing")).startswith(b"HTTP/1.1 404"), "an unknown path isn't found")
    check(answer(connect("/", f"X: {'a' * 9000}\r\n")).startswith(b"HTTP/1.1 431"), "a request of more than 8 KB is refused")
    check(b"subpub_version{publisher=" in answer(connect("/metrics")), "there are metrics")
    check_page(answer(connect("/")).decode())
    slow = socket.create_connection((host, port))
    slow.sendall(b"GET / HTTP/1.1\r\n")

    readers = [Reader() for _ in range(count - laggard_count)]
    laggards = [connect(size=4096) for _ in range(laggard_count)]
    selector = selectors.DefaultSelector()
    for reader in readers:
        selector.register(reader.socket, selectors.EVENT_READ, reader)

    start, used, cut, delays, slow_end = time.monotonic(), [], 0, [], None
    next_look, next_probe, next_cut = start + 1, start + 2, start + 3

    def probe():
        """How long the newest event takes to a client, measured against the state that the server answers with."""
        state = json.loads(answer(connect("/state")).split(b"\r\n\r\n", 1)[1])
        return int(state["id"].split("-")[1]), time.monotonic()

    waiting, watched = [], set(readers[:20])

    def note_delays():
        now = time.monotonic()
        for version, asked in list(waiting):
            if all(reader.last and reader.last[1] >= version for reader in watched):
                delays.append(now - asked)
                waiting.remove((version, asked))

    while time.monotonic() - start < seconds:
        for key, _ in selector.select(0.01):
            reader = key.data
            if not reader.receive():
                reader.wrong += 1
                selector.unregister(reader.socket)
            if reader in watched:
                note_delays()
        now = time.monotonic()
        if now >= next_probe:
            waiting.append(probe())
            note_delays()
            next_probe = time.monotonic() + 0.1
        if now >= next_look:
            used.append(memory())
            next_look = now + 1
        if now >= next_cut:
            # A client loses its connection, and comes back.
            reader = readers[cut % len(readers)]
            selector.unregister(reader.socket)
            reader.socket.close()
            reader.open()
            selector.register(reader.socket, selectors.EVENT_READ, reader)
            cut, next_cut = cut + 1, now + 0.05
        if slow_end is None and now - start > 5.5:
            slow_end = answer(slow)

    events = sum(reader.events for reader in readers)
    rate = newest[0] / (time.monotonic() - start)
    print(f"{events} events, {rate:.0f} states a second, {cut} connections lost, memory {used[0]:.0f} to {max(used):.0f} MB")
    check(rate >= 150, "there are enough states")
    check(all(reader.wrong == 0 for reader in readers), "readers get every event once, also after a lost connection")
    check((slow_end or b"").startswith(b"HTTP/1.1 408"), "a slow request is refused")
    if len(used) > 11:
        check(max(used[11:]) <= used[10] * 1.05 + 2, f"memory is flat after ten seconds: {used[10]:.0f} to {max(used[11:]):.0f} MB")
    delays.sort()
    slowest = delays[int(len(delays) * 0.99)] * 1_000
    print(f"delay of an event: median {delays[len(delays) // 2] * 1_000:.1f} ms, p99 {slowest:.1f} ms")
    check(slowest < 50, "99 of 100 events arrive within 50 ms")
    def client_count():
        metrics = answer(connect("/metrics")).decode()
        return int(re.search(r'subpub_subscriptions\{publisher="board"\} (\d+)', metrics).group(1))

    # The server may not have noticed the last lost connection.
    looked = time.monotonic()
    while (clients := client_count()) != len(readers) and time.monotonic() - looked < 2:
        for key, _ in selector.select(0.01):
            key.data.receive()
    check(clients == len(readers), f"laggards are gone: {clients} of {len(readers)} readers are left")

    began = time.monotonic()
    server.send_signal(signal.SIGTERM)
    left = set(readers)
    while left and time.monotonic() - began < 10:
        for key, _ in selector.select(0.1):
            if not key.data.receive():
                selector.unregister(key.data.socket)
                left.discard(key.data)
    server.wait(timeout=10)
    took = time.monotonic() - began
    check(took < 5, f"the end takes {took:.1f} s")
    check(server.returncode == 0, f"the status is {server.returncode}")
    check(all(reader.ended and reader.wrong == 0 for reader in readers), "everybody gets a last event")

    check_crowd()
    check_burst()
finally:
    server.kill()
sys.exit(1 if failures else 0)
