// Ways from any object to everything Python can do, and what one would do there. All of them find the modules; what they
// try with them must not work. `$CANARY` is a file outside that everybody may read, `$PORT` a server on the machine.

/** Expressions for the module `os` (posix), each by another way through the object graph. */
export const waysToOs: Record<string, string> = {
  'subclasses of object': `[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == '_wrap_close'][0].__init__.__globals__['sys'].modules['os']`,
  'globals of a function of typing': `__import__('typing').get_type_hints.__globals__['sys'].modules['os']`,
  'globals of json': `__import__('json').load.__globals__['__builtins__']['__import__'].__globals__['os']`,
  'module beside re': `__import__('re').enum.sys.modules['os']`,
  'loader of json': `__import__('json').__loader__.__init__.__globals__['sys'].modules['os']`,
  'spec of re': `__import__('re').__spec__.loader.load_module('os')`,
  'the guard itself': `__builtins__.__import__.__globals__['real']('os')`,
  'the guard, closed over': `__builtins__.open.__globals__['os']`,
  'frame of an exception': `(lambda: [g for g in [__import__('typing')]][0].sys.modules['os'])()`,
  'frames upwards': `(lambda f: f.f_back.f_globals['os'])(__import__('typing').sys._getframe(1))`,
  traceback: `__import__('typing').sys.modules['__main__'].os`,
  'false name': `eval("__import__('os')", {'__name__': 'json', '__builtins__': __builtins__})`,
  'builtin importer': `[c for c in object.__subclasses__() if c.__name__ == 'BuiltinImporter'][0].load_module('posix')`,
  'generator frame': `(lambda g: g.gi_frame.f_builtins['__import__'].__globals__['os'])(x for x in [1])`,
  'code rewritten': `type(lambda: 0)(compile("import os as o\\nresult = o", 's', 'exec'), {'__builtins__': {'__import__': __builtins__.__import__.__globals__['real']}}).__globals__ and __builtins__.__import__.__globals__['os']`,
}

/** What is tried with it: prints ESCAPED, the canary, or reaches the server. `o` is the module. */
export const usesOfOs: Record<string, string> = {
  'read the canary': `print(o.read(o.open(CANARY, 0), 100))`,
  'read by a file object': `import_ = __builtins__.__import__.__globals__['real']; print(import_('io').FileIO(CANARY).read())`,
  'close and read': `o.close(0); print(o.read(o.open(CANARY, 0), 100))`,
  list: `print(o.listdir('/')); print('ESC' + 'APED')`,
  walk: `print(next(o.walk('/usr'))); print('ESC' + 'APED')`,
  write: `o.open('/tmp/x', o.O_CREAT | o.O_WRONLY); print('ESC' + 'APED')`,
  shell: `o.system('echo ESC""APED')`,
  fork: `print('ESC' + 'APED') if o.fork() >= 0 else 0`,
  spawn: `o.posix_spawn('/bin/echo', ['echo', 'ESC' + 'APED'], {})`,
  'another program in its place': `o.execv('/bin/sh', ['sh', '-c', 'echo ESC""APED'])`,
  'the loader in its place': `o.execv('/lib64/ld-linux-x86-64.so.2', ['ld', '/bin/echo', 'ESC' + 'APED'])`,
  'python again': `o.execv(__import__('typing').sys.executable, ['python3', '-c', 'print("ESC" + "APED")'])`,
  pipe: `o.pipe(); print('ESC' + 'APED')`,
  duplicate: `o.dup(1); print('ESC' + 'APED')`,
  'limits raised': `r = __builtins__.__import__.__globals__['resource']; r.setrlimit(r.RLIMIT_NOFILE, (100, 100)); print('ESC' + 'APED')`,
  socket: `s = __builtins__.__import__.__globals__['real']('_socket').socket(); s.connect(('127.0.0.1', PORT)); print('ESC' + 'APED')`,
  'native code': `__builtins__.__import__.__globals__['real']('ctypes'); print('ESC' + 'APED')`,
  'fork with a terminal': `print('ESC' + 'APED') if o.forkpty() else 0`,
  thread: `__builtins__.__import__.__globals__['real']('_thread').start_new_thread(lambda: 0, ()); print('ESC' + 'APED')`,
  'memory file': `o.memfd_create('x'); print('ESC' + 'APED')`,
  'kill others': `o.kill(-1, 9); o.kill(1, 9)`,
  environment: `print([v for v in o.environ.values() if 'secret' in v.lower()] and 'ESC' + 'APED')`,
}
