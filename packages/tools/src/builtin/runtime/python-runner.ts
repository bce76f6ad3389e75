// What python runs before the code it was given. Python itself can keep nothing in: whoever has an object has every
// class, and with the classes every module. So what code cannot do is taken away from the process, for good, by limits
// that nobody can raise again: no file can be opened any more (nor a socket, a pipe, a folder), no process started.
// The list of imports only says early and clearly what would not work anyway.

/** Importable by the code; their inner modules were loaded before. */
export const importable = ['json', 're', 'typing'] as const

/** Codecs that Python would load when they are first used, when it no longer can. */
const codecs = ['ascii', 'latin-1', 'utf-16', 'utf-16-le', 'utf-16-be', 'utf-32', 'cp1252', 'unicode_escape']

export const pythonRunner = `
import sys, os, builtins, io, resource, json, re, typing, traceback, codecs, collections.abc
for name in ${JSON.stringify(codecs)}: codecs.lookup(name)
try: eval("'\\\\N{BULLET}'")
except SyntaxError: pass
allowed = ${JSON.stringify(importable)}
code = sys.stdin.buffer.read().decode('utf-8', 'surrogatepass')
sys.stdin = io.StringIO('')
real = builtins.__import__
def guarded(name, globals=None, locals=None, fromlist=(), level=0):
    if level == 0 and name.partition('.')[0] not in allowed and (globals is None or globals.get('__name__') == '__main__'):
        raise ImportError("'%s' cannot be imported here: only " % name + ', '.join(allowed))
    return real(name, globals, locals, fromlist, level)
builtins.__import__ = guarded
def no_files(*args, **more): raise PermissionError('files cannot be opened here')
builtins.open = no_files
space = {'__name__': '__main__', '__builtins__': builtins}
for limit in (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
    resource.setrlimit(limit, (0, 0))
status = 0
try:
    exec(compile(code, '<code>', 'exec'), space)
except SystemExit as end:
    status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    if status and not isinstance(end.code, int): print(end.code, file=sys.stderr)
except MemoryError:
    space.clear()
    print('MemoryError: more than the memory limit', file=sys.stderr)
    status = 1
except BaseException as error:
    shown = traceback.TracebackException.from_exception(error)
    shown.stack[:] = [frame for frame in shown.stack if frame.filename != '<string>']
    print(''.join(shown.format()), end='', file=sys.stderr)
    status = 1
try: sys.stdout.flush()
except BaseException: status = status or 1
os._exit(status & 255)
`
