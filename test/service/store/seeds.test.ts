import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { LocalError } from '../../../src/core/errors.ts';
import { parseSeed } from '../../../src/service/start-service.ts';
import { placeOf } from '../support/embedded-service.ts';
import { seedOf, seedStore } from '../support/seeds.ts';
import { type List, newPlace, temporaryService } from '../support.ts';

const minute = (n: number) => `2024-05-01T00:${String(n).padStart(2, '0')}:00.000Z`;

describe('a seed', () => {
  test('is returned as given, with null for what it does not say', async () => {
    const like = {
      id: 'l',
      name: 'liked',
      createdAt: '2026-01-01T00:00:00.000Z',
      author: { id: 'a', username: 'ada' },
    };
    const run = { id: 'r', runStartAt: '2026-01-31T00:00:00.000Z', runEndAt: null, error: 'x\0' };
    const service = await temporaryService({ seed: seedOf({ runs: [run], likes: [like] }) });
    const val = { id: expect.stringMatching(/^[0-9a-f-]{36}$/), name: 'seeded', version: 1 };
    expect((await service.get<List>('/v1/me/runs')).data).toEqual([{ ...run, val }]);
    expect((await service.get<List>('/v1/me/likes')).data).toEqual([like]);
  });

  test('of the docs gives records without a null in the fields that clients expect', async () => {
    const page = await readFile('docs/services.md', 'utf8');
    const [, seed = ''] = /```json\n(\{\n {2}"runs".*?)```/s.exec(page) ?? [];
    const service = await temporaryService({ seed: parseSeed(seed) });
    const text = expect.stringMatching(/./);
    const val = { id: text, name: text, version: expect.any(Number) };
    const author = { id: text, username: text };
    const first = async (kind: string) => (await service.get<List>(`/v1/me/${kind}`)).data[0];
    expect(await first('runs')).toMatchObject({ val, runEndAt: text });
    expect(await first('likes')).toMatchObject({ ...val, privacy: text, author });
    expect(await first('comments')).toMatchObject({ comment: text, author, val: { ...val, author } });
  });

  test('that is loaded again replaces its records, and with the same run twice is refused', async () => {
    const at = await newPlace();
    const load = (error: string) =>
      temporaryService({ at, seed: seedOf({ runs: [{}, { id: 'a', error }, {}] }) });
    const first = await load('x');
    const ids = await first.idsFrom('/v1/me/runs');
    expect(new Set(ids).size).toBe(3);
    await first.close();
    const second = await load('y');
    expect(await second.idsFrom('/v1/me/runs')).toEqual(ids);
    expect((await second.get<List>('/v1/me/runs')).data.find(({ id }) => id === 'a')?.error).toBe('y');
    const [one, two] = ['b', 'c'].map((id) => ({ id, runStartAt: minute(1) }));
    await expect(seedStore(placeOf(at), seedOf({ runs: [{ ...one }, { ...two }] }))).rejects.toThrow(
      'runs[1] has the val, the version and the start',
    );
  });

  test('assigns runs to the vals that they name, and refuses a run of a val that is not there', async () => {
    const at = await newPlace();
    const before = await temporaryService({ at });
    const { id } = await before.createVal({ name: 'runner', code: 'c' });
    await before.close();
    const service = await temporaryService({
      at,
      seed: seedOf({
        runs: [
          { id: 'by id', val: { id, version: 1 }, runStartAt: minute(1) },
          { id: 'by name', val: { name: 'runner', version: 1 }, runStartAt: minute(3), error: 'boom' },
          { id: 'other', runStartAt: minute(4) },
        ],
      }),
    });
    const { data } = await service.get<List>(`/v1/vals/${id}/runs`);
    expect(data.map((run) => run.id)).toEqual(['by name', 'by id']);
    expect(data[0]?.val).toEqual({ id, name: 'runner', version: 1 });
    await service.ask('DELETE', `/v1/vals/${id}`);
    expect(await service.idsFrom('/v1/me/runs')).toEqual(['other']);
    await service.close();
    const seed = seedOf({ likes: [{}], runs: [{}, { val: { id, version: 1 } }] });
    await expect(seedStore(placeOf(at), seed)).rejects.toThrow('runs[1].val is not a val of this store');
    expect(await (await temporaryService({ at })).idsFrom('/v1/me/likes')).toEqual([]);
  });

  test.each([
    ['{', 'The seed file is not JSON'],
    ['{"references":[]}', 'unknown key "references"'],
    ['{"likes":[{"id":"a","name":"b","createdAt":"2026-01-01"}]}', 'likes[0].author must be an object'],
    ['{"runs":[{"runStart":"2024-01-01"}]}', 'runs[0].runStart is an unknown field (known fields: id, val,'],
    [
      '{"runs":[{"id":"1","val":{"version":1},"runStartAt":"soon"}]}',
      'runs[0].runStartAt must be a timestamp such as',
    ],
  ])('%s is refused as a whole: %s', (text, message) => {
    expect(() => parseSeed(text)).toThrow(LocalError);
    expect(() => parseSeed(text)).toThrow(message);
  });
});
