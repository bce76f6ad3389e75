// What every program needs of the machine, as bwrap's arguments: its programs and libraries, read-only, and a handful of
// files of /etc. Nothing else of the machine is there: not /etc/shadow, no home, no socket, no /sys.
import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs'

/** As links where this system has links. */
export function systemFolders(): string[] {
  const args = ['--ro-bind', '/usr', '/usr']
  for (const path of ['/bin', '/sbin', '/lib', '/lib64']) {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat?.isSymbolicLink()) args.push('--symlink', readlinkSync(path), path)
    else if (stat) args.push('--ro-bind', path, path)
  }
  return args
}

const etc = ['alternatives', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime', 'mime.types', 'ssl', 'pki']
const etcOfNetwork = ['resolv.conf', 'hosts', 'nsswitch.conf', 'services', 'protocols', 'gai.conf']

export function systemSettings(withNetwork: boolean): string[] {
  return [...etc, ...(withNetwork ? etcOfNetwork : [])].flatMap((name) => {
    const path = `/etc/${name}`
    if (!existsSync(path)) return []
    // The target of a link may lie where nothing of the machine is (/run/systemd/resolve); it is put in its place.
    return ['--ro-bind', realpathSync(path), path]
  })
}
