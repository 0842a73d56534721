// Loaded before the program: starts a program that does not exist instead of /bin/sh.
const processes = require('node:child_process');

processes.spawn = new Proxy(processes.spawn, {
  apply: (spawn, self, [file, ...others]) =>
    Reflect.apply(spawn, self, [file === '/bin/sh' ? '/no/shell' : file, ...others]),
});
