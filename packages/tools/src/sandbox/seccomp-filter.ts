// The system calls that nothing in the sandbox needs, as the program that the kernel runs before each of them. The
// namespaces hold without it; it takes away what they do not cover (VM sockets reach the host of a virtual machine
// through any network namespace) and the calls that past escapes began with.

/** By machine: its number in the audit headers, and the calls refused. */
interface Machine {
  audit: number
  socket: number
  clone: number
  clone3: number
  refused: Readonly<Record<string, number>>
}

const x64: Machine = {
  audit: 0xc000003e,
  socket: 41,
  clone: 56,
  clone3: 435,
  refused: {
    pivot_root: 155,
    acct: 163,
    mount: 165,
    umount2: 166,
    swapon: 167,
    swapoff: 168,
    reboot: 169,
    init_module: 175,
    delete_module: 176,
    quotactl: 179,
    kexec_load: 246,
    add_key: 248,
    request_key: 249,
    keyctl: 250,
    unshare: 272,
    perf_event_open: 298,
    name_to_handle_at: 303,
    open_by_handle_at: 304,
    setns: 308,
    finit_module: 313,
    kexec_file_load: 320,
    bpf: 321,
    userfaultfd: 323,
  },
}

const arm64: Machine = {
  audit: 0xc00000b7,
  socket: 198,
  clone: 220,
  clone3: 435,
  refused: {
    umount2: 39,
    mount: 40,
    pivot_root: 41,
    quotactl: 60,
    acct: 89,
    unshare: 97,
    kexec_load: 104,
    init_module: 105,
    delete_module: 106,
    reboot: 142,
    add_key: 217,
    request_key: 218,
    keyctl: 219,
    swapon: 224,
    swapoff: 225,
    perf_event_open: 241,
    name_to_handle_at: 264,
    open_by_handle_at: 265,
    setns: 268,
    finit_module: 273,
    bpf: 280,
    userfaultfd: 282,
    kexec_file_load: 294,
  },
}

/** The same number on every machine. */
const refusedEverywhere = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  mount_setattr: 442,
} as const

const addressFamilies = { unix: 1, inet: 2, inet6: 10, netlink: 16 } as const
/** Every CLONE_NEW… flag: new namespaces. */
const namespaceFlags = 0x7e02_0000
/** From here on x64 counts the calls of another machine. */
const x32Calls = 0x4000_0000

const errno = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const
const load = 0x20
const jumpIfEqual = 0x15
const jumpIfAtLeast = 0x35
const jumpIfAny = 0x45
const answer = 0x06
const allow = 0x7fff_0000
const fail = (code: number) => 0x0005_0000 | code
const offsets = { call: 0, audit: 4, firstArgument: 16 } as const

type Instruction = [code: number, ifTrue: number, ifFalse: number, value: number]

/** Null for machines whose calls we have not listed. */
export function seccompFilter(arch: string = process.arch): Buffer | null {
  const machine = arch === 'x64' ? x64 : arch === 'arm64' ? arm64 : null
  if (!machine) return null
  const program: Instruction[] = [
    [load, 0, 0, offsets.audit],
    [jumpIfEqual, 1, 0, machine.audit],
    [answer, 0, 0, fail(errno.ENOSYS)],
    [load, 0, 0, offsets.call],
    [jumpIfAtLeast, 0, 1, x32Calls],
    [answer, 0, 0, fail(errno.ENOSYS)],
  ]
  for (const call of [...Object.values(machine.refused), ...Object.values(refusedEverywhere)])
    program.push([jumpIfEqual, 0, 1, call], [answer, 0, 0, fail(errno.EPERM)])
  // Its flags lie in memory that this program cannot read; "no such call" makes libraries use the older one.
  program.push([jumpIfEqual, 0, 1, machine.clone3], [answer, 0, 0, fail(errno.ENOSYS)])
  program.push(
    [jumpIfEqual, 0, 4, machine.clone],
    [load, 0, 0, offsets.firstArgument],
    [jumpIfAny, 0, 1, namespaceFlags],
    [answer, 0, 0, fail(errno.EPERM)],
    [answer, 0, 0, allow],
  )
  program.push([jumpIfEqual, 1, 0, machine.socket], [answer, 0, 0, allow], [load, 0, 0, offsets.firstArgument])
  for (const family of Object.values(addressFamilies)) program.push([jumpIfEqual, 0, 1, family], [answer, 0, 0, allow])
  program.push([answer, 0, 0, fail(errno.EAFNOSUPPORT)])
  return encode(program)
}

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(ifTrue, index * 8 + 2)
    bytes.writeUInt8(ifFalse, index * 8 + 3)
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4)
  }
  return bytes
}
