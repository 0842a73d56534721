import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { LocalError } from '../../../src/errors.ts';
import { parseSeed } from '../../../src/service/index.ts';
import { type List, newPlace, temporaryService } from '../support.ts';

const minute = (n: number) => `2024-05-01T00:${String(n).padStart(2, '0')}:00.000Z`;

describe('a seed', () => {
  test('gets its missing fields filled in, and is otherwise returned as given', async () => {
    const before = Date.now();
    const service = await temporaryService({
      seed: {
        runs: [{ runStartAt: null }, { error: { message: 'x', extra: [1] } }],
        likes: [{ name: 'liked' }],
      },
    });
    const { data: runs } = await service.get<List>('/v1/me/runs');
    expect(runs[1]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      runStartAt: runs[0]?.runStartAt,
      runEndAt: runs[0]?.runStartAt,
      error: { message: 'x', extra: [1] },
      val: { id: null, name: null, version: null },
    });
    expect(runs[0]?.error).toBe(null);
    expect(Date.parse(String(runs[0]?.runStartAt))).toBeGreaterThanOrEqual(before);
    const { data: likes } = await service.get<List>('/v1/me/likes');
    const like = `${service.baseUrl}/v1/vals/${likes[0]?.id}`;
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(likes).toEqual([
      {
        id: expect.any(String),
        name: 'liked',
        code: null,
        readme: null,
        version: 1,
        privacy: 'public',
        public: true,
        type: 'script',
        likeCount: 1,
        referenceCount: 0,
        createdAt: time,
        versionCreatedAt: time,
        updatedAt: time,
        author: null,
        url: `${service.baseUrl}/?val=${likes[0]?.id}`,
        links: { self: like, versions: `${like}/versions`, module: `${like}/module` },
      },
    ]);
  });

  test('of the guide gives records without a null in the fields that clients expect', async () => {
    const guide = await readFile('docs/guide.md', 'utf8');
    const [, seed = ''] = /```json\n(\{\n {2}"runs".*?)```/s.exec(guide) ?? [];
    const service = await temporaryService({ seed: parseSeed(seed) });
    const first = async (kind: string) => (await service.get<List>(`/v1/me/${kind}`)).data[0];
    const text = expect.stringMatching(/./);
    const val = { id: text, name: text, version: expect.any(Number) };
    const author = { id: text, username: text };
    const side = { id: text, name: text, author_id: text, username: text };
    expect(await first('runs')).toMatchObject({ id: text, val, runStartAt: text, runEndAt: text });
    expect(await first('likes')).toMatchObject({ ...val, privacy: text, createdAt: text, author });
    const commented = { ...val, privacy: text, author };
    expect(await first('comments')).toMatchObject({ comment: text, createdAt: text, author, val: commented });
    const reference = { reference: side, dependsOn: side, referencedAt: text };
    expect(await first('references')).toMatchObject(reference);
  });

  test('that is loaded again replaces its records, and equal records within it are all kept', async () => {
    const at = await newPlace();
    const text =
      '{"runs":[{},{},{"id":"a","error":"x"},{"id":9007199254740993}],"references":[{"reference":{"name":"a"}},{"reference":{"name":"a"}}]}';
    const first = await temporaryService({ seed: parseSeed(text), at });
    const ids = await first.idsFrom('/v1/me/runs');
    expect(new Set(ids).size).toBe(4);
    await first.close();
    const second = await temporaryService({ seed: parseSeed(text.replace('"x"', '"y"')), at });
    expect(await second.idsFrom('/v1/me/runs')).toEqual(ids);
    expect((await second.get<List>('/v1/me/runs')).data.find(({ id }) => id === 'a')?.error).toBe('y');
    expect((await second.get<List>('/v1/me/references')).data).toHaveLength(2);
  });

  test('keeps every digit', async () => {
    const error =
      '{"big":12345678901234567890,"one":1.0,"e":[1E400,-0,{"x":0.1e-7}],"text":"1E400 \\" \\\\"}';
    const service = await temporaryService({
      seed: parseSeed(`{ "runs" : [ {"id":"a","val":{"name":"later"},"error":${error}} ] }`),
    });
    await service.createVal({ name: 'later', code: 'c' });
    expect((await service.ask('GET', '/v1/me/runs')).text).toContain(`"error":${error}`);
  });

  test('assigns runs to the vals that they name', async () => {
    const at = await newPlace();
    const before = await temporaryService({ at });
    const { id } = await before.createVal({ name: 'runner', code: 'c' });
    await before.close();
    const service = await temporaryService({
      at,
      seed: {
        runs: [
          { id: 'by id', val: { id }, runStartAt: minute(1) },
          { id: 'flat', valId: id, runStartAt: minute(2), error: 'boom' },
          { id: 'by name', val: { name: 'runner', version: 1 }, runStartAt: minute(3) },
          { id: 'unknown name', val: { name: 'nobody' }, runStartAt: minute(4) },
          { id: 'other id', val: { id: 'other', name: 'runner' }, runStartAt: minute(5) },
        ],
      },
    });
    const { data } = await service.get<List>(`/v1/vals/${id}/runs`);
    expect(data.map((run) => run.id)).toEqual(['by name', 'flat', 'by id']);
    expect(data[0]?.val).toEqual({ id, name: 'runner', version: 1 });
    expect(await service.idsFrom('/v1/me/runs')).toHaveLength(5);
    await service.ask('DELETE', `/v1/vals/${id}`);
    expect(await service.idsFrom('/v1/me/runs')).toEqual(['other id', 'unknown name']);
  });

  test('is assigned to the first val that gets the name, and to no later val', async () => {
    const service = await temporaryService({
      seed: {
        runs: [
          { id: 'r', val: { name: 'later', version: 3 } },
          { id: 'flat', valName: 'later' },
        ],
        likes: [{ name: 'later' }],
        references: [{ reference: { name: 'other' }, dependsOn: { name: 'later' } }],
      },
    });
    const { id: author_id, username } = await service.get<Record<string, string>>('/v1/me');
    await service.createVal({ name: 'other', code: 'c' });
    const val = await service.createVal({ name: 'later', code: 'c' });
    expect(val).toMatchObject({ likeCount: 1, referenceCount: 1 });
    const { data } = await service.get<List>(`/v1/vals/${val.id}/runs`);
    expect(data.map((run) => run.id)).toEqual(['r', 'flat']);
    expect(data[0]?.val).toEqual({ id: val.id, name: 'later', version: 3 });
    expect((await service.get<List>('/v1/me/references')).data[0]).toMatchObject({
      dependsOn: { id: val.id, name: 'later', author_id, username },
    });
    await service.ask('DELETE', `/v1/vals/${val.id}`);
    const again = await service.createVal({ name: 'later', code: 'c' });
    expect(again).toMatchObject({ likeCount: 0, referenceCount: 0 });
    expect(await service.idsFrom(`/v1/vals/${again.id}/runs`)).toEqual([]);
  });

  test.each([
    ['{', 'The seed file is not JSON'],
    ['[]', 'not a JSON object'],
    ['{"vals":[]}', 'unknown key "vals"'],
    ['{"runs":{}}', 'runs in the seed file is not an array'],
    ['{"likes":[{},1]}', 'likes[1] is not an object'],
    ['{"runs":[{"id":null}]}', 'runs[0].id'],
    ['{"comments":[{"relationship":"any"}]}', 'comments[0].relationship'],
    [
      '{"runs":[{},{"runStart":"2024-01-01"}]}',
      'runs[1].runStart is an unknown field (known fields: id, val,',
    ],
    ['{"runs":[{"runEndAt":"soon"}]}', 'runs[0].runEndAt is not an ISO 8601 timestamp'],
    ['{"runs":[{"error":true}]}', 'runs[0].error is not a string or an object'],
    ['{"runs":[{"val":"hello"}]}', 'runs[0].val is not an object'],
    ['{"runs":[{"val":{"nmae":"x"}}]}', 'runs[0].val.nmae is an unknown field'],
    ['{"comments":[{"author":{"name":"x"}}]}', 'comments[0].author.name is an unknown field'],
  ])('%s is refused as a whole: %s', (text, message) => {
    expect(() => parseSeed(text)).toThrow(LocalError);
    expect(() => parseSeed(text)).toThrow(message);
  });
});
