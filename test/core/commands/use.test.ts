import { expect, it } from 'vitest';
import { run, runOnScreen, temporaryFolder } from '../../support/program.ts';
import { writeConfig } from '../settings/support.ts';

function signedIn(): string {
  const home = temporaryFolder();
  const origins = ['https://one.example', 'https://two.example'];
  origins.push('http://localhost:4000', 'https://localhost:4000');
  const tokens = Object.fromEntries(origins.map((origin, index) => [origin, `token-number-${index}`]));
  writeConfig(home, JSON.stringify({ baseUrl: 'https://one.example/api', tokens }));
  return home;
}

it('vals use lists the services, and switches to one of them', async () => {
  const home = signedIn();
  const rows = async (...args: string[]) =>
    JSON.parse((await run(['use', ...args, '--json'], { home })).stdout);
  const listed = await rows();
  expect(listed).toHaveLength(4);
  expect(listed[0]).toEqual({ default: true, baseUrl: 'https://one.example/api' });
  const two = { default: true, baseUrl: 'https://two.example' };
  expect(await rows('https://two.example/v1/')).toContainEqual(two);
  const { stdout } = await run(['config', '--json'], { home });
  expect(JSON.parse(stdout)[0].value).toBe('https://two.example');
});

it('vals use ends with a line that sums up the change', async () => {
  const { screen } = await runOnScreen(['use', 'two.example', '--no-color'], { home: signedIn() });
  expect(screen).toMatch(/✓ The default service is now https:\/\/two\.example\. \(.*\d+ms\)\s*$/);
});

it.each([
  ['two.example', 0, 'https://two.example'],
  ['two.example/api', 0, 'https://two.example/api'],
  ['three.example', 2, 'not signed in to three.example'],
  ['https://three.example', 2, 'vals login https://three.example'],
  [
    'localhost:4000',
    2,
    'localhost:4000 is ambiguous: it may be http://localhost:4000 or https://localhost:4000.',
  ],
])('vals use takes %s for a service if it names exactly one: exit %i', async (wanted, exit, says) => {
  const result = await run(['use', wanted], { home: signedIn() });
  expect(result.exit).toBe(exit);
  expect(exit === 0 ? result.stdout : result.stderr).toContain(says);
});

it('vals use lists each base URL that was used with its path, and knows a space by its name', async () => {
  const home = signedIn();
  const use = async (...args: string[]) =>
    JSON.parse((await run(['use', ...args, '--json'], { home })).stdout) as {
      baseUrl: string;
      default: boolean;
    }[];
  const used = ['https://one.example/api', 'https://one.example/api/@acme', 'https://two.example'];
  await use('@acme');
  await use('two.example');
  expect((await use()).map(({ baseUrl }) => baseUrl)).toEqual(expect.arrayContaining(used));
  const chosen = async (word: string) => (await use(word)).find((each) => each.default)?.baseUrl;
  expect(await chosen('acme')).toBe('https://one.example/api/@acme');
  expect(await chosen('one.example')).toBe('https://one.example/api');
  const { error } = await run(['use', 'nothing.here', '--json'], { home });
  expect(error).toMatchObject({ exit: 2, message: expect.stringContaining('not signed in to nothing.here') });
});
