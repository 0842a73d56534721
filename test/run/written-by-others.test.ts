import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ends, folderOf, runProcess, temporaryFolder, writeFiles } from '../support/program.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { folderWith } from './folder.ts';

const id = '4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11';

/** Returns what came of each: the text of the file, or the permission that is missing. */
const reading = (...paths: string[]) => `import * as fs from "node:fs";
  const attempt = (work) => { try { return String(work()).trim() } catch (error) { return error.permission ?? error.code } };
  const env = ({ PLAIN, NODE_ENV, NODE_OPTIONS, LD_PRELOAD }) => ({ PLAIN, NODE_ENV, NODE_OPTIONS, LD_PRELOAD });
  export default () => ({
    read: ${JSON.stringify(paths)}.map((path) => attempt(() => fs.readFileSync(path, "utf8"))),
    write: attempt(() => fs.writeFileSync("written.txt", "")),
    env: env(process.env) })`;
const refused = 'FileSystemRead';
const secret = 'the secret';
const isRefused = { write: 'FileSystemWrite', env: {} };

function secretFile(): string {
  const path = join(temporaryFolder(), 'secret.txt');
  writeFileSync(path, secret);
  return path;
}

function link(from: string, to: string): void {
  mkdirSync(dirname(from), { recursive: true });
  symlinkSync(to, from);
}

const opening = ['NODE_OPTIONS="--allow-fs-read=* --allow-fs-write=*"', 'LD_PRELOAD=/absent.so', 'PLAIN=1'];

describe('the variables that Node acts on', () => {
  const leftOut = 'Left out of the environment of the val: LD_PRELOAD and NODE_OPTIONS.';

  it('of .env and of --dotenv files do not reach a val, which gets all others', async () => {
    const files = {
      'a.ts': reading(secretFile()),
      '.env': opening.join('\n'),
      'b.env': [...opening, 'NODE_ENV=test', 'VALS_TOKEN=x'].join('\n'),
    };
    const { runProcess } = folderWith(files);
    const { stdout, stderr } = await runProcess(['--dotenv', 'b.env', 'a.ts']);
    expect(JSON.parse(stdout)).toEqual({
      ...isRefused,
      read: [refused],
      env: { PLAIN: '1', NODE_ENV: 'test' },
    });
    expect(stderr.split(leftOut)).toHaveLength(2);
    expect(stderr).not.toContain('absent.so');
  });

  it('reach a val if a person types them after --env or has them', async () => {
    const code = 'export default () => [process.title, process.env.PLAIN]';
    const { run } = folderWith({ 'a.ts': code, '.env': opening.join('\n') });
    const typed = ['--env', 'NODE_OPTIONS=--title=typed', 'a.ts'];
    expect(await run(typed)).toMatchObject({ stdout: '["typed","1"]\n' });
    const env = { NODE_OPTIONS: '--title=own' };
    expect(await run(['a.ts'], { env })).toMatchObject({ stdout: '["own","1"]\n' });
  });
});

it('a .env that contains a null character is not read', async () => {
  const { run } = folderWith({ 'a.ts': 'export default () => 1', '.env': 'PLAIN=a\0b' });
  expect(await run(['a.ts'])).toMatchObject(ends(10, '.env cannot be read: it contains a null character.'));
});

describe('what a val may read does not grow', () => {
  it('by the name that a service gives it', async () => {
    const path = secretFile();
    for (const name of ['/../../../../*', '../*', '*', `../../../..${dirname(path)}/*`]) {
      const val = { id, name, version: 3, code: reading(path) };
      const service = await scriptedService([{ body: val }]);
      const { stdout } = await runProcess(['run', '--no-report', id], { env: service.env });
      expect([name, JSON.parse(stdout)]).toEqual([name, { ...isRefused, read: [refused] }]);
    }
  });

  it('by an asterisk in the name of a folder', async () => {
    const { path, runProcess } = folderWith({ 'secret.txt': secret });
    writeFiles(path, { '*/a.ts': reading(join(path, 'secret.txt')), '*/package.json': '{}' });
    const { stdout } = await runProcess(['*/a.ts']);
    expect(JSON.parse(stdout)).toEqual({ ...isRefused, read: [refused] });
  });

  it('by links in node_modules to a folder above the project, the home folder, or config and data of vals', async () => {
    const home = temporaryFolder();
    const outside = secretFile();
    const places = { VALS_CONFIG_DIR: temporaryFolder(), VALS_DATA_DIR: temporaryFolder() };
    const secrets = [home, ...Object.values(places)].map((folder) => join(folder, 'secret.txt'));
    for (const path of secrets) writeFileSync(path, secret);
    const { path, runProcess } = folderWith({
      'up/secret.txt': secret,
      'up/project/package.json': '{}',
      'up/project/a.ts': reading(outside, join('..', 'secret.txt'), ...secrets),
    });
    const modules = join(path, 'up/project/node_modules');
    link(join(modules, 'root'), '/');
    link(join(modules, '@scope/up'), join(path, 'up'));
    link(join(modules, 'home'), home);
    for (const [name, place] of Object.entries(places)) link(join(modules, name), place);
    link(join(path, 'up/node_modules'), '/');
    const { stdout } = await runProcess(['a.ts'], { cwd: join(path, 'up/project'), home, env: places });
    expect(JSON.parse(stdout)).toEqual({ ...isRefused, read: Array(5).fill(refused) });
  });

  it('by links above the project in place of node_modules and package.json', async () => {
    const home = temporaryFolder();
    writeFiles(home, {
      'own/config.json': '{}',
      'up/project/package.json': '{}',
      'up/project/a.ts': reading('../node_modules/config.json', '../package.json'),
    });
    link(join(home, 'up/node_modules'), '../own');
    link(join(home, 'up/package.json'), '../own/config.json');
    const options = { cwd: join(home, 'up/project'), home, env: { VALS_CONFIG_DIR: join(home, 'own') } };
    const { stdout } = await runProcess(['run', 'a.ts'], options);
    expect(JSON.parse(stdout)).toEqual({ ...isRefused, read: [refused, refused] });
  });

  it('by what a package, or the val itself, computes to import', async () => {
    const outside = folderOf({ 'secret.json': '"secret"', 'secret.js': 'export default "secret"' });
    const compute = `const load = (name) => import([${JSON.stringify(outside)}, name].join("/"), name.endsWith("n") ? { with: { type: "json" } } : {})
      .catch((error) => error.permission);
      export const read = [await load("secret.json"), await load("secret.js")];`;
    const { runProcess } = folderWith({
      'package.json': '{}',
      'node_modules/dep/package.json': '{"type":"module","exports":"./a.js"}',
      'node_modules/dep/a.js': compute,
      'a.ts': `import { read as byPackage } from "dep"; ${compute} export default () => [byPackage, read]`,
    });
    const { stdout } = await runProcess(['a.ts']);
    expect(JSON.parse(stdout)).toEqual(Array(2).fill([refused, refused]));
  });

  it('to the config of vals in node_modules, or behind a link to the config file', async () => {
    const { path, runProcess } = folderWith({
      'package.json': '{}',
      'a.ts': reading('node_modules/.cache/vals/config.json', 'config.json'),
      'node_modules/.cache/vals/config.json': '{}',
      'config.json': '{}',
    });
    const linked = temporaryFolder();
    link(join(linked, 'config.json'), join(path, 'config.json'));
    const env = { VALS_CONFIG_DIR: linked, VALS_DATA_DIR: join(path, 'node_modules/.cache/vals') };
    const { stdout } = await runProcess(['a.ts'], { env });
    expect(JSON.parse(stdout)).toEqual({ ...isRefused, read: [refused, refused] });
  });

  it('by the import of a file of vals, or of one outside of the project, also by a link', async () => {
    const home = temporaryFolder();
    const code =
      'export default (path) => import(path, path.endsWith("n") ? { with: { type: "json" } } : {}).catch((e) => e.permission)';
    const config = join(home, 'own/config.json');
    writeFiles(home, {
      'own/config.json': JSON.stringify({ token: 'x' }),
      'work/beside.json': '"beside"',
      'work/beside.ts': 'export default "beside" as string',
      'work/project/package.json': '{}',
      'work/project/a.ts': code,
      'work/project/b.ts': `1;\nimport config from "${config}" with { type: "json" }; export default config`,
    });
    link(join(home, 'work/project/link.json'), config);
    link(join(home, 'work/project/beside.json'), '../beside.json');
    link(join(home, 'work/project/folder'), '..');
    const options = { cwd: join(home, 'work/project'), home, env: { VALS_CONFIG_DIR: join(home, 'own') } };
    const paths = [
      config,
      './link.json',
      '../beside.json',
      './beside.json',
      '../beside.ts',
      './folder/beside.ts',
    ];
    for (const path of paths) {
      const { stdout } = await runProcess(['run', 'a.ts', path], options);
      expect([path, stdout]).toEqual([path, `${refused}\n`]);
    }
    expect(await runProcess(['run', 'b.ts'], options)).toMatchObject({
      exit: 12,
      stdout: '',
      stderr: expect.stringMatching(
        /\(FileSystemRead, .*config\.json\) \(b\.ts:2:20\)\.\nhint: .* --allow-read /,
      ),
    });
  });
});

describe('vals itself follows no link out of the project', () => {
  it('of tsconfig.json, in what it extends either, unless a person allows it', async () => {
    const base = { compilerOptions: { jsx: 'react', jsxFactory: 'String' } };
    const outside = folderWith({ 'base.json': JSON.stringify(base) });
    const path = join(outside.path, 'base.json');
    const files = { 'a.tsx': 'export default () => <b />', 'package.json': '{}' };
    const extending = folderWith({ ...files, 'tsconfig.json': JSON.stringify({ extends: path }) });
    const linked = folderWith(files);
    link(join(linked.path, 'tsconfig.json'), path);
    for (const { run } of [extending, linked]) {
      expect(await run(['a.tsx'])).toMatchObject(
        ends(10, `is read from ${path}, which the val may not read.`),
      );
      expect(await run(['--allow-read', outside.path, 'a.tsx'])).toMatchObject({ exit: 0, stdout: 'b\n' });
    }
    const above = folderWith({ 'tsconfig.json': JSON.stringify(base), 'project/package.json': '{}' });
    writeFiles(above.path, { 'project/a.tsx': 'export default () => <b />' });
    expect(await above.run(['--json', 'project/a.tsx'])).toMatchObject({
      exit: 12,
      error: { message: expect.stringContaining('react/jsx-runtime') },
    });
  });

  it('of .env, unless a person types it after --dotenv', async () => {
    const outside = folderWith({ 'x.env': 'PLAIN=outside' });
    const { path, run } = folderWith({ 'a.ts': 'export default () => process.env.PLAIN ?? "none"' });
    link(join(path, '.env'), join(outside.path, 'x.env'));
    expect(await run(['a.ts'])).toMatchObject({
      stdout: 'none\n',
      stderr: expect.stringContaining('link that leads out of the project. To read it, add --dotenv .env'),
    });
    expect(await run(['--dotenv', '.env', 'a.ts'])).toMatchObject({ stdout: 'outside\n' });
    const own = folderWith({ 'a.ts': 'export default () => process.env.PLAIN', 'envs/dev.env': 'PLAIN=own' });
    link(join(own.path, '.env'), 'envs/dev.env');
    expect(await own.run(['a.ts'])).toMatchObject({ stdout: 'own\n', stderr: '' });
  });
});
