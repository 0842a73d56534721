import { expect, it } from 'vitest';
import { pushCode } from '../../core/commands/pushes.ts';
import { run } from '../../support/program.ts';
import { embeddedService } from '../support/embedded-service.ts';

it.each(['a val', 'the list'])('vals open of vals serve shows %s, for one visit', async (what) => {
  const { env, baseUrl } = await embeddedService();
  const id = await pushCode(env, 'hello', 'code');
  const [words, path] = what === 'a val' ? [[`${id}`], `/vals/${id}`] : [[], '/'];
  const { url } = JSON.parse((await run(['open', ...words, '--json'], { env })).stdout);
  const first = await fetch(url, { redirect: 'manual' });
  expect(first.headers.get('location')).toBe(path);
  const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? '';
  const page = await fetch(new URL(path, baseUrl), { headers: { cookie } });
  expect(await page.text()).toContain('hello');
  expect((await fetch(url, { redirect: 'manual' })).headers.get('set-cookie')).toBeNull();
});

it('vals open --local says that only vals serve has pages', async () => {
  const { exit, stderr } = await run(['open', '--local']);
  expect(exit).toBe(2);
  expect(stderr).toContain('vals serve');
});
