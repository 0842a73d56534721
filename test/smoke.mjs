import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const npm = process.env.npm_execpath;
assert(npm, 'Run it with npm: npm run smoke');
const nodes = process.argv.length > 2 ? process.argv.slice(2) : [process.execPath];
const folder = mkdtempSync(join(tmpdir(), 'vals-smoke-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const { stdout } = await execa(process.execPath, [npm, 'pack', '--json', '--pack-destination', folder]);
const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
for (const [index, node] of nodes.entries()) await smoke(node, join(folder, `${index}`));

/**
 * @param {string} node
 * @param {string} home a new folder
 */
async function smoke(node, home) {
  mkdirSync(home);
  const prefix = join(home, 'prefix');
  const env = { PATH: `${dirname(node)}:${process.env.PATH}`, HOME: home, LANG: 'C.UTF-8' };
  const install = [npm ?? '', 'install', '--global', '--prefix', prefix, '--cache', join(home, 'cache')];
  await execa(node, [...install, join(folder, filename)], { env: { ...process.env, ...env } });

  const program = join(prefix, 'lib', 'node_modules', 'vals', 'bin', 'vals.js');
  /** @param {string[]} args */
  const vals = async (...args) => {
    const { stdout, stderr } = await execa(node, [program, ...args], {
      env,
      extendEnv: false,
      cwd: resolve('.'),
      stripFinalNewline: false,
    });
    assert.equal(stderr, '');
    return stdout;
  };
  const push = async () => JSON.parse(await vals('push', 'examples', '--local', '--json'));

  assert.match(readFileSync(join(program, '../../THIRD-PARTY-NOTICES'), 'utf8'), /^undici \S+ \(MIT\)$/m);
  assert.match(readFileSync(join(program, '../../sbom.cdx.json'), 'utf8'), /pkg:npm\/undici@/);
  assert.equal(await vals('--version'), `${version}\n`);
  assert.match(await vals('--help'), /^Usage: vals /);
  assert.match(await vals('completion', 'bash'), /complete -F _vals vals/);
  const pushed = await push();
  assert.equal(pushed.length, readdirSync('examples').length);
  for (const { status, version, id, file } of pushed) {
    assert.deepEqual({ status, version }, { status: 'created', version: 1 });
    assert.equal(await vals('val', 'get', id, '--code', '--local'), readFileSync(file, 'utf8'));
  }
  for (const { version } of await push()) assert.equal(version, 1);
  assert.equal(await vals('run', 'examples/hello.ts', 'Ada'), 'Hello, Ada!\n');
  const serving = execa(node, [program, 'serve', '--port', '0'], { env, extendEnv: false });
  for await (const address of serving) {
    assert.equal((await fetch(`${address}/healthz`)).status, 200);
    serving.kill('SIGTERM');
  }
  const { stdout: nodeVersion } = await execa(node, ['--version']);
  console.log(`Node ${nodeVersion}: installed, and pushed ${pushed.length} examples`);
}
