import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startStrict } from '../support/strict-service.ts';
import { Place, pushed, repository } from './places.ts';

it('a path is relative to the current folder, and a file without a val is named', async () => {
  const { place } = await pushed({ 'lib/mail.ts': 'x' });
  for (const word of ['mail.ts', '../lib/mail.ts']) {
    const below = new Place(join(place.folder, 'lib'), place.env, place.home);
    expect((await below.vals('val', 'get', word, '--code')).stdout).toBe('x');
  }
  place.put({ 'only.ts': 'y' });
  expect(await place.vals('val', 'get', 'only.ts')).toMatchObject({
    exit: 3,
    stderr: expect.stringContaining('only.ts is not a val yet: the service has no val named "only".'),
  });
});

it('a file that git knows, but that is gone, stands for its val', async () => {
  const place = repository((await startStrict()).env, { 'a.ts': 'a' });
  place.put({ 'b.ts': 'b' });
  await place.rows(['push']);
  place.remove('a.ts', 'b.ts');
  expect((await place.vals('val', 'get', 'a.ts', '--code')).stdout).toBe('a');
  expect(await place.vals('val', 'get', 'b.ts', '--code')).toMatchObject({ exit: 3, stdout: '' });
  place.commit();
  expect((await place.vals('val', 'get', 'a.ts', '--code')).stdout).toBe('a');
});

it.each(['status', 'pull'])('vals %s does not find an unknown name', async (command) => {
  const { place } = await pushed({ 'hello.ts': 'x' });
  expect(await place.vals(command, 'helo')).toMatchObject({
    exit: 3,
    stderr: expect.stringContaining('Did you mean "hello"?'),
  });
});
