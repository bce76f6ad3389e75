// Runs inside the sandbox, before the program and without its limits: programs speak to a proxy by TCP, and the only way
// out is a socket in the file system.

/** On the sandbox's own loopback. */
export const relayPort = 3128

/** Arguments: the socket, then the program with its own. */
export const relayScript = `
const { connect, createServer } = require('node:net')
const { spawn } = require('node:child_process')
const { constants } = require('node:os')
const [socket, file, ...args] = process.argv.slice(1)
createServer({ allowHalfOpen: true }, (client) => {
  const proxy = connect({ path: socket, allowHalfOpen: true })
  client.pipe(proxy).pipe(client)
  client.on('error', () => proxy.destroy())
  proxy.on('error', () => client.destroy())
}).listen(${relayPort}, '127.0.0.1', () => {
  spawn(file, args, { stdio: 'inherit' })
    .on('error', (error) => { console.error(error.message); process.exit(127) })
    .on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
})
`
