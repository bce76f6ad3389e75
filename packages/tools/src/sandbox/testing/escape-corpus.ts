// Ways out of a sandbox that were tried by somebody before us. Each is a script that runs inside; whether it got out is
// judged from outside: by what it printed of a file it must not see, by what it changed, whom it reached, what it ended.
//
// In the scripts: $OUTSIDE is a folder outside that everybody may read and write, $PORT a server on the machine's
// loopback, $VICTIM a process outside of the same account, $ABSTRACT the name of an abstract socket. `escaped` says that
// something worked that only works outside.

export interface EscapeCase {
  what: string
  /** What would show it: reads and writes outside, network, processes, or the script itself. */
  by: 'read' | 'write' | 'network' | 'process' | 'privilege'
  code: string
  language?: 'python'
  /** Ends everything inside, so it has a sandbox of its own. */
  alone?: boolean
}

const sh = (by: EscapeCase['by'], cases: Record<string, string>): EscapeCase[] =>
  Object.entries(cases).map(([what, code]) => ({ what, by, code }))
const py = (by: EscapeCase['by'], cases: Record<string, string>): EscapeCase[] =>
  Object.entries(cases).map(([what, code]) => ({ what, by, code, language: 'python' }))

const reads = sh('read', {
  'plain path': 'cat $OUTSIDE/canary',
  'dots from the work folder': 'cat ../outside/canary',
  'dots from the root': 'cat /../../..$OUTSIDE/canary',
  'root of the first process': 'cat /proc/1/root$OUTSIDE/canary',
  'root of itself': 'cat /proc/self/root$OUTSIDE/canary',
  'root of every process': 'for p in /proc/[0-9]*; do cat $p/root$OUTSIDE/canary; done',
  'directory of the first process': 'cat /proc/1/cwd$OUTSIDE/canary',
  'directory of every process': 'for p in /proc/[0-9]*; do cat $p/cwd/../outside/canary; done',
  'open files of every process': 'for f in /proc/[0-9]*/fd/*; do timeout 0.2 cat $f/canary $f/outside/canary; done',
  'its own open files':
    'ls -la /proc/self/fd; for f in /proc/self/fd/*; do [ -d $f ] && ls $f; done; ls /proc/self/fd/ | grep -v "[0-3]" && cat /proc/self/fd/[4-9]/*canary*',
  'symbolic link': 'ln -s $OUTSIDE/canary link1; cat link1',
  'symbolic link to the folder': 'ln -s $OUTSIDE link2; cat link2/canary',
  'chain of links': 'ln -s $OUTSIDE c1; ln -s c1 c2; ln -s c2/canary c3; cat c3',
  'link to the root': 'ln -s / rootlink; cat rootlink$OUTSIDE/canary',
  'hard link': 'ln $OUTSIDE/canary hard1 && cat hard1',
  'hard link through a symbolic one': 'ln -s $OUTSIDE dirlink; ln -L dirlink/canary hard2 && cat hard2',
  copy: 'cp $OUTSIDE/canary copied; cat copied',
  archive: 'tar -C $OUTSIDE -cf - . | tar -xOf -',
  'search of all files': 'find / -name canary -not -path "/proc/*" 2>/dev/null | xargs -r cat',
  'search of all processes': 'grep -las CANARY /proc/[0-9]*/environ /proc/[0-9]*/cmdline | xargs -r cat',
  'environment of the first process': 'tr "\\0" "\\n" < /proc/1/environ',
  'memory of the first process': 'head -c 100 /proc/1/mem && escaped',
  'the disk itself':
    'for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/dm-0 /dev/root /dev/mem /dev/kmem /dev/port; do head -c 16 $d && escaped $d; done',
  'a device made anew':
    'for n in "8 0" "254 0" "252 0" "259 0" "1 1"; do mknod dev1 b $n && head -c 16 dev1 && escaped; mknod dev2 c $n && head -c 16 dev2 && escaped; rm -f dev1 dev2; done',
  'passwords of the machine': 'grep -q "\\$" /etc/shadow && escaped',
  'accounts of the machine': 'grep -qE "daemon|nobody" /etc/passwd && escaped',
  'home folders': 'ls /root/.ssh /root/.bashrc /home/*/.bashrc && escaped',
  'kernel log': 'dmesg | head -1 | grep . && escaped',
  'kernel symbols': 'grep -v " [a-zA-Z] " /proc/kcore | head -c 10 | grep . && escaped',
  'settings of the machine': 'ls /sys/class/net && escaped',
  'keys of the machine': 'cat /etc/ssh/ssh_host_* /etc/ssl/private/* | grep -q . && escaped',
  'sockets of the machine': 'ls /run/docker.sock /var/run/docker.sock /run/dbus /run/systemd && escaped',
  'source of a mount': 'cut -d" " -f4,5 /proc/self/mountinfo | grep -F outside && escaped',
  'other machines of the mount table': 'grep -F "$OUTSIDE" /proc/*/mountinfo && escaped',
})

const writes = sh('write', {
  'plain path': 'echo x > $OUTSIDE/w1',
  'over what is there': 'echo x > $OUTSIDE/canary',
  dots: 'echo x > ../outside/w2',
  'beside the work folder': 'echo x > ../w3',
  'root of the first process': 'echo x > /proc/1/root$OUTSIDE/w4',
  'symbolic link': 'ln -s $OUTSIDE/w5 wlink; echo x > wlink',
  'link to the folder': 'ln -s $OUTSIDE wdir; echo x > wdir/w6',
  'rename out': 'touch mine; mv mine $OUTSIDE/w7',
  'rename by directory': 'mkdir d; mv d $OUTSIDE/w8',
  'link out': 'touch mine2; ln mine2 $OUTSIDE/w9',
  'archive out': 'mkdir t; touch t/w10; tar -C t -cf - . | tar -C $OUTSIDE -xf -',
  'archive with dots': 'tar -Pcf a.tar --transform "s,.*,../outside/w11," run-all; tar -Pxf a.tar',
  remove: 'rm -f $OUTSIDE/canary',
  permissions: 'chmod 000 $OUTSIDE/canary && escaped',
  owner: 'chown 0:0 $OUTSIDE/canary && escaped',
  'owner of its own file': 'touch own; chown 0:0 own && escaped',
  'programs of the system': 'echo x >> /usr/bin/env && escaped',
  'programs by link': 'ln -s /usr/bin usrlink; touch usrlink/x && escaped',
  'new program': 'touch /usr/local/bin/x && escaped',
  settings: 'touch /etc/x && escaped',
  'its account': 'echo root::0:0::/:/bin/sh >> /etc/passwd && escaped',
  'root folder': 'touch /x && escaped',
  'new folder at the root': 'mkdir /newfolder && escaped',
  'device folder': 'touch /dev/x && escaped',
  'home of root': 'mkdir -p /root/.ssh && touch /root/.ssh/authorized_keys && escaped',
  spool: 'mkdir -p /var/spool/cron && touch /var/spool/cron/root && escaped',
  'run folder': 'touch /run/x && escaped',
  loader: 'echo /tmp/evil.so > /etc/ld.so.preload && escaped',
  'program of core dumps': 'echo "|/tmp/x" > /proc/sys/kernel/core_pattern && escaped',
  'name of the machine': 'hostname evil; echo evil > /proc/sys/kernel/hostname && escaped',
  'modprobe path': 'echo /tmp/x > /proc/sys/kernel/modprobe && escaped',
  'magic key': 'echo h > /proc/sysrq-trigger && escaped',
  'user mode helper': 'echo /tmp/x > /sys/kernel/uevent_helper && escaped',
  'set-user-id': 'cp /bin/sh suid && chmod u+s suid && [ "$(./suid -pc "id -u")" = 0 ] && escaped',
  'capabilities of a file': 'cp /bin/sh capsh1; setcap cap_sys_admin+ep capsh1 && escaped',
  'release agent': 'mkdir /tmp/cg; mount -t cgroup -o memory cgroup /tmp/cg && escaped',
})

const mounts = sh('privilege', {
  'new memory file system': 'mount -t tmpfs none /tmp && escaped',
  bind: 'mkdir -p b; mount --bind / b && escaped',
  'root writable again': 'mount -o remount,rw / && escaped',
  'root writable again, by bind': 'mount -o remount,bind,rw / && touch /x && escaped',
  'system writable again': 'mount -o remount,bind,rw /usr && escaped',
  'all of the mount table writable':
    'for m in $(cut -d" " -f5 /proc/self/mountinfo); do mount -o remount,bind,rw $m && escaped $m; done',
  'take a mount off': 'umount /usr && escaped',
  'take a mount off later': 'umount -l /proc && escaped; umount -l /dev && escaped',
  'new proc': 'mkdir -p pr; mount -t proc proc pr && escaped',
  'new sys': 'mkdir -p sy; mount -t sysfs sys sy && escaped',
  'device file system': 'mkdir -p de; mount -t devtmpfs dev de && escaped',
  overlay: 'mkdir -p lo up wo me; mount -t overlay -o lowerdir=lo,upperdir=up,workdir=wo o me && escaped',
  'user namespace': 'unshare -U true && escaped',
  'user namespace as root': 'unshare -r -m sh -c "mount -t tmpfs none /tmp" && escaped',
  'network namespace': 'unshare -r -n true && escaped',
  'process namespace': 'unshare -r -p -f true && escaped',
  'namespace of the first process': 'nsenter -t 1 -m true && escaped',
  'all namespaces of the first process': 'nsenter -t 1 -a true && escaped',
  'root folder changed': 'chroot / true && escaped',
  'another sandbox inside': 'bwrap --unshare-all --dev-bind / / true && escaped',
  'loop device': 'truncate -s 1M img; losetup -f img && escaped',
  'kernel module': 'modprobe dummy && escaped',
  swap: 'truncate -s 1M swap; mkswap swap; swapon swap && escaped',
  clock: 'date -s 2001-01-01 && escaped',
  priority: 'renice -n -20 $$ && escaped',
  'real-time priority': 'chrt -f 50 true && escaped',
  'limit of processes raised': 'prlimit --nproc=100000:100000 --pid $$ && escaped',
  'limit of memory raised': 'prlimit --as=unlimited:unlimited --pid $$ && escaped',
  'limit of time raised': 'ulimit -Ht unlimited && escaped',
  'become root with su': 'echo | su -c "id -u" | grep -qx 0 && escaped',
  'become root with sudo': 'sudo -n id && escaped',
  capabilities: 'grep -E "Cap(Eff|Prm|Bnd|Inh|Amb)" /proc/self/status | grep -qv 0000000000000000 && escaped',
  'new privileges': 'grep -q "NoNewPrivs:.1" /proc/self/status || escaped',
  'filter of system calls': 'grep -q "Seccomp:.2" /proc/self/status || escaped',
  'account map': 'echo "0 0 1" > /proc/self/uid_map && escaped',
  'group list': 'echo allow > /proc/self/setgroups && escaped',
})

const preamble = `import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def escaped(*what): print('ESC' + 'APED', *what)
outside = os.environ['OUTSIDE']
`
/** By number on x64; other machines do not have these numbers, and refuse as well. */
const call = (number: number, args: string) => `if libc.syscall(${number}, ${args}) >= 0: escaped()`
const calls = py('privilege', {
  'become root': 'os.setuid(0); escaped()',
  'become a group': 'os.setgid(0); escaped()',
  groups: 'os.setgroups([0]); escaped()',
  'mount by call': call(165, 'b"none", b"/tmp", b"tmpfs", 0, 0'),
  'unmount by call': call(166, 'b"/usr", 2'),
  pivot_root: call(155, 'b"/tmp", b"/tmp"'),
  'unshare of users': call(272, '0x10000000'),
  'unshare of mounts': call(272, '0x20000'),
  'clone of a user namespace': call(56, '0x10000000 | 17, 0, 0, 0, 0'),
  clone3: call(435, '0, 0'),
  'namespace entered': `for kind in ('mnt', 'user', 'pid', 'net'):
  try:
    if libc.setns(os.open('/proc/1/ns/' + kind, 0), 0) == 0: escaped(kind)
  except OSError as error: print(error)`,
  'new mount interface': call(430, 'b"tmpfs", 0'),
  'tree opened': call(428, '-100, b"/", 1'),
  'mount attributes': `import struct
attr = ctypes.create_string_buffer(struct.pack('QQQQ', 0, 1, 0, 0))
if libc.syscall(442, -100, b"/usr", 0x8000, attr, 32) == 0: escaped()`,
  'file by its handle': `buffer = ctypes.create_string_buffer(b'\\x08\\0\\0\\0\\x01\\0\\0\\0\\x02\\0\\0\\0\\0\\0\\0\\0', 128)
if libc.syscall(304, os.open('/', 0), buffer, 0) >= 0: escaped()`,
  'programs in the kernel': call(321, '0, ctypes.create_string_buffer(128), 128'),
  io_uring: call(425, '1, ctypes.create_string_buffer(240)'),
  'page faults': call(323, '0'),
  'performance events': call(298, 'ctypes.create_string_buffer(b"\\0" * 4 + b"\\x70", 128), 0, -1, -1, 0'),
  keys: call(250, '0, -4, 1'),
  'new key': call(248, 'b"user", b"qm", b"x", 1, -4'),
  'restart of the machine': call(169, '0xfee1dead, 672274793, 0x89abcdef, 0'),
  'new kernel': call(246, '0, 0, 0, 0'),
  accounting: call(163, 'b"/tmp/acct"'),
  'ports of the machine': call(173, '0x70, 1, 1'),
  'kernel log by call': `buffer = ctypes.create_string_buffer(100)
if libc.klogctl(3, buffer, 100) > 0: escaped()`,
  'chroot and out again': `os.mkdir('/tmp/jail'); os.chroot('/tmp/jail'); escaped()`,
  'dump of others': 'if libc.prctl(28, 0) == 0: escaped("securebits")',
  'capability raised': 'if libc.prctl(47, 2, 21, 0, 0) == 0: escaped()',
})

const pythonReads = py('read', {
  file: `print(open(outside + '/canary').read())`,
  'folder opened first': `d = os.open('/', os.O_PATH); print(os.read(os.open('../../..' + outside + '/canary', 0, dir_fd=d), 100))`,
  'every number of an open file': `for n in range(3, 1024):
  try: print(os.read(os.open('canary', 0, dir_fd=n), 100))
  except OSError: pass
  try: print(os.read(os.open('../outside/canary', 0, dir_fd=n), 100))
  except OSError: pass`,
  'open files written to': `for n in range(3, 1024):
  try:
    os.write(n, b'x'); escaped(n)
  except OSError: pass`,
  'memory of others': `for pid in filter(str.isdigit, os.listdir('/proc')):
  try:
    if int(pid) not in (os.getpid(), os.getppid()): open('/proc/%s/mem' % pid, 'rb').read(1); escaped()
  except OSError: pass`,
  'watch of a folder': `if libc.inotify_add_watch(libc.inotify_init(), outside.encode(), 2) > 0: escaped()`,
})

const network = [
  ...py('network', {
    loopback: `socket.create_connection(('127.0.0.1', int(os.environ['PORT'])), 1).send(b'x')`,
    'loopback, version 6': `socket.create_connection(('::1', int(os.environ['PORT'])), 1).send(b'x')`,
    'any address': `socket.create_connection(('0.0.0.0', int(os.environ['PORT'])), 1).send(b'x')`,
    'other loopback': `socket.create_connection(('127.9.9.9', int(os.environ['PORT'])), 1).send(b'x')`,
    "the machine's own addresses": `for a in os.environ['ADDRESSES'].split():
  try: socket.create_connection((a, int(os.environ['PORT'])), 1).send(b'x')
  except OSError as error: print(error)`,
    datagram: `socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', int(os.environ['PORT'])))`,
    'socket in the file system': `s = socket.socket(socket.AF_UNIX); s.connect(outside + '/socket'); s.send(b'x')`,
    'socket through a link': `os.symlink(outside + '/socket', 'sock'); s = socket.socket(socket.AF_UNIX); s.connect('sock'); s.send(b'x')`,
    'socket through the first process': `s = socket.socket(socket.AF_UNIX); s.connect('/proc/1/root' + outside + '/socket'); s.send(b'x')`,
    'abstract socket': `s = socket.socket(socket.AF_UNIX); s.connect('\\0' + os.environ['ABSTRACT']); s.send(b'x')`,
    'raw socket': `socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); escaped()`,
    'packet socket': `socket.socket(17, socket.SOCK_RAW, 0x300); escaped()`,
    'virtual machine socket': `s = socket.socket(40, socket.SOCK_STREAM); escaped()`,
    'virtual machine socket, other calls': `print(libc.socket(40, 1, 0) >= 0 and escaped())`,
    'bluetooth, alg, can, rds, tipc, xdp': `for family in (31, 38, 29, 21, 30, 44, 39, 43):
  try: socket.socket(family, socket.SOCK_STREAM); escaped(family)
  except OSError as error: print(error)
  try: socket.socket(family, socket.SOCK_DGRAM); escaped(family)
  except OSError as error: print(error)`,
    'new interface': `import fcntl, struct
fcntl.ioctl(os.open('/dev/net/tun', 2), 0x400454ca, struct.pack('16sH', b'qm0', 1)); escaped()`,
    'address set': `import fcntl, struct
s = socket.socket(); fcntl.ioctl(s, 0x8914, struct.pack('16sH', b'lo', 0)); escaped()`,
    'sockets passed by others': `for n in range(3, 256):
  try: socket.socket(fileno=n).getpeername(); escaped(n)
  except OSError: pass`,
    'name looked up': `socket.gethostbyname('example.com'); escaped()`,
  }),
  ...sh('network', {
    'shell socket': 'bash -c "echo x > /dev/tcp/127.0.0.1/$PORT"',
    curl: 'curl -sm 1 http://127.0.0.1:$PORT/ && escaped',
    'metadata of the cloud': 'curl -sm 1 http://169.254.169.254/ && escaped',
    interfaces: 'ls /sys/class/net /proc/sys/net/ipv4/conf 2>/dev/null | grep -E "eth|ens|enp|wlan" && escaped',
    'connections of the machine': 'grep -c : /proc/net/tcp; [ $(wc -l < /proc/net/tcp) -gt 1 ] && escaped',
  }),
]

const processes = [
  ...sh('process', {
    kill: 'kill -9 $VICTIM',
    'process seen': 'ls -d /proc/$VICTIM && [ "$(cat /proc/$VICTIM/comm)" = sleep ] && escaped',
    'signal to the parent': 'kill -9 $PPID; true',
    'process of the machine seen': 'ls /proc | grep -cE "^[0-9]+$" | awk "\\$1 > 50 {exit 0} {exit 1}" && escaped',
    'semaphores and queues of the machine': 'ipcs -a 2>/dev/null | grep -E "^0x" && escaped',
    'terminal of the machine': 'echo x > /dev/tty && escaped',
    console: 'echo x > /dev/console && escaped',
  }),
  ...py('process', {
    trace: `victim = int(os.environ['VICTIM'])
if libc.ptrace(16, victim, 0, 0) == 0: escaped()`,
    'memory written': `open('/proc/%s/mem' % os.environ['VICTIM'], 'wb'); escaped()`,
    'memory read by call': `import struct
buffer = ctypes.create_string_buffer(16)
iov = ctypes.create_string_buffer(struct.pack('QQ', ctypes.addressof(buffer), 16))
if libc.syscall(310, int(os.environ['VICTIM']), iov, 1, iov, 1, 0) > 0: escaped()`,
    'handle of a process': `if libc.syscall(434, int(os.environ['VICTIM']), 0) >= 0 and os.path.exists('/proc/%s/comm' % os.environ['VICTIM']): escaped()`,
    'text typed into the terminal': `import fcntl
fcntl.ioctl(os.open('/dev/tty', 2), 0x5412, b'x'); escaped()`,
  }),
  ...['kill -9 -1', 'kill -9 0', 'kill -9 1; kill -9 $VICTIM', 'kill -STOP 1; pkill -9 sleep'].map(
    (code): EscapeCase => ({ what: `everything killed: ${code}`, by: 'process', code, alone: true }),
  ),
]

export const escapeCorpus: readonly EscapeCase[] = [
  ...[...reads, ...writes, ...mounts, ...calls, ...pythonReads, ...network, ...processes],
].map((attempt) => (attempt.language === 'python' ? { ...attempt, code: preamble + attempt.code } : attempt))
