// For tests. A page that tries every way out of a browser to a server of this machine, and the server that notices.
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import type { RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface ReachSentinel {
  port: number
  stunPort: number
  quicPort: number
  /** Connections and datagrams, whatever they said. */
  readonly contacts: number
  /** What arrived, by the name of the attempt. */
  readonly arrived: ReadonlySet<string>
  close(): Promise<void>
}

export async function startReachSentinel(): Promise<ReachSentinel> {
  const arrived = new Set<string>()
  const sockets = new Set<Socket>()
  let contacts = 0
  const server = createServer((socket) => {
    contacts++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    socket.once('data', (data) => {
      arrived.add(/^[A-Z]+ \/([\w.-]+)/.exec(data.toString('latin1'))?.[1] ?? 'binary')
      socket.end(
        'HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi',
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '::', resolve))
  const udp = await Promise.all(
    ['stun', 'quic'].map((name) =>
      listenUdp(() => {
        contacts++
        arrived.add(name)
      }),
    ),
  )
  const [stun, quic] = udp as [UdpSocket, UdpSocket]
  return {
    port: (server.address() as AddressInfo).port,
    stunPort: stun.address().port,
    quicPort: quic.address().port,
    get contacts() {
      return contacts
    },
    arrived,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      for (const socket of udp) socket.close()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function listenUdp(noticed: () => void): Promise<UdpSocket> {
  const socket = createSocket('udp4')
  socket.on('message', noticed)
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return socket
}

/** Each is written as a statement; `at(name)` is the sentinel's address for it. */
const ways: Readonly<Record<string, string>> = {
  fetch: `fetch(at('fetch'), { mode: 'no-cors' })`,
  'fetch-cors': `fetch(at('fetch-cors'))`,
  'fetch-post': `fetch(at('fetch-post'), { method: 'POST', mode: 'no-cors', body: 'x' })`,
  'fetch-localhost': `fetch(at('fetch-localhost', 'localhost'))`,
  'fetch-v6': `fetch(at('fetch-v6', '[::1]'))`,
  'fetch-zero': `fetch(at('fetch-zero', '0.0.0.0'))`,
  'fetch-mapped': `fetch(at('fetch-mapped', '[::ffff:127.0.0.1]'))`,
  'fetch-decimal': `fetch(at('fetch-decimal', '2130706433'))`,
  'fetch-redirect': `fetch('/redirect?to=' + encodeURIComponent(at('fetch-redirect')), { mode: 'no-cors' })`,
  keepalive: `fetch(at('keepalive'), { mode: 'no-cors', keepalive: true })`,
  xhr: `const x = new XMLHttpRequest(); x.open('GET', at('xhr')); x.send()`,
  beacon: `navigator.sendBeacon(at('beacon'), 'x')`,
  events: `new EventSource(at('events'))`,
  img: `new Image().src = at('img')`,
  video: `add('video', { src: at('video'), preload: 'auto' })`,
  script: `add('script', { src: at('script') })`,
  module: `import(at('module')).catch(() => {})`,
  style: `add('link', { rel: 'stylesheet', href: at('style') })`,
  font: `new FontFace('f', 'url(' + at('font') + ')').load().catch(() => {})`,
  preload: `add('link', { rel: 'preload', as: 'image', href: at('preload') })`,
  object: `add('object', { data: at('object') })`,
  embed: `add('embed', { src: at('embed') })`,
  iframe: `add('iframe', { src: at('iframe') })`,
  srcdoc: `add('iframe', { srcdoc: '<img src="' + at('srcdoc') + '">' })`,
  'frame-refresh': `add('iframe', { srcdoc: '<meta http-equiv=refresh content="0;url=' + at('frame-refresh') + '">' })`,
  form: `add('iframe', { name: 'target' }); const f = add('form', { action: at('form'), target: 'target', method: 'post' }); f.submit()`,
  'web-socket': `new WebSocket(at('web-socket').replace('http', 'ws'))`,
  worker: `new Worker(URL.createObjectURL(new Blob(['fetch("' + at('worker') + '")'])))`,
  'shared-worker': `new SharedWorker('/shared.js?' + at('shared-worker'))`,
  'service-worker': `navigator.serviceWorker.register('/service.js?' + at('service-worker'))`,
  'window-open': `window.open(at('window-open'))`,
  stun: `peer('stun:127.0.0.1:' + stunPort)`,
  binary: `peer('turn:127.0.0.1:' + port + '?transport=tcp')`,
  quic: `new WebTransport('https://127.0.0.1:' + quicPort + '/')`,
}

/** Other ways to write this machine, for each sort of request that a page can make in numbers. */
const spellings: Readonly<Record<string, string>> = {
  name: 'localhost',
  dot: 'localhost.',
  short: '127.1',
  other: '127.0.0.2',
  hex: '0x7f.0.0.1',
  octal: '0177.0.0.1',
  decimal: '2130706433',
  mapped: '[::ffff:127.0.0.1]',
}

const waysTo: Readonly<Record<string, (address: string) => string>> = {
  get: (address) => `fetch(${address}, { mode: 'no-cors' })`,
  post: (address) => `fetch(${address}, { mode: 'no-cors', method: 'POST', body: 'x' })`,
  request: (address) => `const x = new XMLHttpRequest(); x.open('GET', ${address}); x.send()`,
  picture: (address) => `new Image().src = ${address}`,
  code: (address) => `add('script', { src: ${address} })`,
  sheet: (address) => `add('link', { rel: 'stylesheet', href: ${address} })`,
  frame: (address) => `add('iframe', { src: ${address} })`,
  socket: (address) => `new WebSocket(${address}.replace('http', 'ws'))`,
  hop: (address) => `fetch('/redirect?to=' + encodeURIComponent(${address}), { mode: 'no-cors' })`,
}

const attempts: Readonly<Record<string, string>> = {
  ...ways,
  ...Object.fromEntries(
    Object.entries(waysTo).flatMap(([way, codeFor]) =>
      Object.entries(spellings).map(([spelling, host]) => {
        const name = `${way}-to-${spelling}`
        return [name, codeFor(`at('${name}', '${host}')`)]
      }),
    ),
  ),
}

export const attemptNames: readonly string[] = Object.keys(attempts)

/** Pages that leave by themselves, and the names of what arrives then. */
export const leavingPages: Readonly<Record<string, string>> = {
  '/redirect': 'top-redirect',
  '/refresh': 'top-refresh',
  '/location': 'top-location',
}

/** A site with the page, with its workers, and with redirects of the three sorts. */
export function tryingSite(sentinel: ReachSentinel): RequestListener {
  const { port, stunPort, quicPort } = sentinel
  const page = `<!doctype html><title>Trying</title><body><script>
    const [port, stunPort, quicPort] = ${JSON.stringify([port, stunPort, quicPort])}
    const at = (name, host = '127.0.0.1') => 'http://' + host + ':' + port + '/' + name
    const add = (name, attributes) => {
      const element = Object.assign(document.createElement(name), attributes)
      document.body.append(element)
      return element
    }
    const peer = (urls) => {
      const connection = new RTCPeerConnection({ iceServers: [{ urls, username: 'u', credential: 'c' }] })
      connection.createDataChannel('x')
      connection.createOffer().then((offer) => connection.setLocalDescription(offer))
    }
    window.tried = []
    for (const [name, code] of Object.entries(${JSON.stringify(attempts).replaceAll('<', '\\u003c')})) {
      try { new Function('at', 'add', 'peer', 'port', 'stunPort', 'quicPort', code)(at, add, peer, port, stunPort, quicPort); tried.push(name) } catch (error) { tried.push(name + ': ' + error) }
    }
  </script>`
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'http://site')
    const target = `http://127.0.0.1:${port}`
    const html = (text: string) => response.writeHead(200, { 'content-type': 'text/html' }).end(text)
    const script = (text: string) => response.writeHead(200, { 'content-type': 'text/javascript' }).end(text)
    const wanted = JSON.stringify(url.search.slice(1))
    switch (url.pathname) {
      case '/try':
        return html(page)
      case '/shared.js':
        return script(`fetch(${wanted})`)
      case '/service.js':
        return script(
          `self.addEventListener('install', (event) => event.waitUntil(fetch(${wanted}, { mode: 'no-cors' })))`,
        )
      case '/redirect':
        return response.writeHead(302, { location: url.searchParams.get('to') ?? `${target}/top-redirect` }).end()
      case '/refresh':
        return html(`<title>Refreshing</title><meta http-equiv="refresh" content="0;url=${target}/top-refresh">`)
      case '/location':
        return html(`<title>Leaving</title><script>location.href = '${target}/top-location'</script>`)
      default:
        return html('<title>Quiet</title><p>Nothing is tried here.</p>')
    }
  }
}
