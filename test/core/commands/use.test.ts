import { describe, expect, it } from 'vitest';
import { run, temporaryFolder } from '../../support/program.ts';
import { scriptedService } from '../../support/scripted-service.ts';
import { storedText, writeConfig } from '../settings/support.ts';

function signedInTo(baseUrl: string, ...others: string[]): string {
  const home = temporaryFolder();
  const origins = [new URL(baseUrl).origin, ...others];
  const tokens = Object.fromEntries(origins.map((origin, index) => [origin, `token-number-${index}`]));
  writeConfig(home, JSON.stringify({ baseUrl, tokens }));
  return home;
}

const signedIn = () =>
  signedInTo(
    'https://one.example/api',
    ...['https://two.example', 'http://localhost:4000', 'https://localhost:4000'],
  );

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

it.each([
  ['https://two.example/api', 0, 'https://two.example/api'],
  ['two.example', 0, 'https://two.example'],
  ['localhost:4000', 0, 'http://localhost:4000'],
  ['https://three.example', 2, 'vals login https://three.example'],
])('vals use takes %s for a base URL: exit %i', async (wanted, exit, says) => {
  const home = signedIn();
  const result = await run(['use', wanted], { home });
  expect(result.exit).toBe(exit);
  expect(exit === 0 ? result.stdout : result.stderr).toContain(says);
  if (exit !== 0) expect(JSON.parse(storedText(home)).baseUrl).toBe('https://one.example/api');
});

describe('vals use with another word', () => {
  it.each(['acme', '@acme'])('takes %s for a space of the service in force', async (word) => {
    const { baseUrl } = await scriptedService([{ body: { data: [{ username: 'acme', role: 'write' }] } }]);
    const home = signedInTo(baseUrl);
    const { exit, stdout } = await run(['use', word, '--json'], { home });
    expect({ exit, rows: JSON.parse(stdout) }).toEqual({
      exit: 0,
      rows: [
        { default: false, baseUrl },
        { default: true, baseUrl: `${baseUrl}/@acme`, role: 'write' },
      ],
    });
  });

  it.each([
    [{ body: [] }, 2, 'acme is no base URL, and no space of yours'],
    [{ status: 404 }, 3, 'This service has no spaces'],
    [{ status: 401 }, 4, 'does not accept the token'],
  ])('changes nothing after %j: exit %i', async (reply, exit, says) => {
    const { baseUrl } = await scriptedService([reply]);
    const home = signedInTo(baseUrl);
    const before = storedText(home);
    const stderr = expect.stringContaining(says);
    expect(await run(['use', 'acme'], { home })).toMatchObject({ exit, stdout: '', stderr });
    expect(storedText(home)).toBe(before);
  });
});
