import { describeError, LocalError, type ValsError, withHintText, withHintTexts } from '../errors.ts';
import type { Hints, HintWriter } from '../lib/hint.ts';
import { isObject, type JsonObject, type JsonValue, sizeUpTo, stringifyJson } from '../lib/json.ts';
import { countOutcomes } from '../lib/outcome.ts';
import { glyphsFor } from '../terminal/glyphs.ts';
import { withoutToken } from '../terminal/json-text.ts';
import type { Messages } from '../terminal/messages.ts';
import type { Output } from '../terminal/output.ts';
import type { ListResult, OutcomesResult, Result } from '../terminal/result.ts';
import { createRedactor, type Sink } from '../terminal/streams.ts';
import type { Answer } from './call.ts';

interface CaptureOptions {
  env: NodeJS.ProcessEnv;
  hints: HintWriter;
  log(line: string): void;
  onProgress(message: string): void;
}

interface Captured {
  output: Output;
  answer(error: ValsError | undefined): Promise<Answer>;
}

const mostCharacters = 1_000_000;

const fits = (value: JsonValue): boolean => sizeUpTo(mostCharacters, value) <= mostCharacters;

const tooLarge = (): LocalError =>
  new LocalError(
    `The call succeeded, but its result has more than ${mostCharacters} characters, so it is too large for one answer.`,
    { hint: 'Ask for less. To read the code of a large val, pull the val into a file with `vals pull`.' },
  );

export function captureOutput({ env, hints, log, onProgress }: CaptureOptions): Captured {
  const redactor = createRedactor();
  redactor.add(env.VALS_TOKEN?.trim());
  const said: Hints[] = [];
  let document: JsonObject = {};
  let text: string | undefined;
  let hasMore = false;
  let isTooLarge = false;

  const say = (sentence: Hints) => void said.push(sentence);

  async function takeList(rows: ListResult['rows']): Promise<JsonObject[]> {
    const first = await firstOf(rows);
    const items = isTooLarge && Array.isArray(rows) ? await firstOf(unchangedLast(rows)) : first;
    document = { items };
    return items;
  }

  async function firstOf(rows: ListResult['rows']): Promise<JsonObject[]> {
    const items: JsonObject[] = [];
    let size = 0;
    for await (const { records } of Symbol.asyncIterator in rows ? rows : [{ records: rows }]) {
      for (const record of records) {
        size += sizeUpTo(mostCharacters, record);
        isTooLarge = size > mostCharacters;
        if (isTooLarge) {
          hasMore = true;
          return items;
        }
        items.push(record);
      }
    }
    return items;
  }

  async function takeOutcomes({ rows }: OutcomesResult): Promise<void> {
    await takeList(await withHintTexts(rows, hints.write));
    if (hasMore) say(`All ${rows.length} outcomes: ${countOutcomes(rows)}.`);
  }

  const describe = async (error: ValsError): Promise<JsonObject> => {
    const described = await withHintText(describeError(error), hints.write);
    return Object.fromEntries(Object.entries(described).filter(([, value]) => fits(value)));
  };

  async function sentences(): Promise<string[]> {
    const written = await Promise.all(said.map(hints.write));
    const distinct = new Set(written.map((text) => redactor.redact(text.trimEnd())));
    return distinct.size === 0 ? [] : [[...distinct].join('\n')];
  }

  async function receive(result: Result): Promise<void> {
    switch (result.kind) {
      case 'record':
        if (fits(result.record)) document = result.record;
        else if (result.error === undefined) throw tooLarge();
        return;
      case 'list':
      case 'diffs':
        if ((await takeList(result.rows)).length === 0 && isTooLarge) throw tooLarge();
        return;
      case 'outcomes':
        return takeOutcomes(result);
      case 'text':
        if (!fits(result.text)) throw tooLarge();
        text = result.text;
        document = { text };
        return;
      case 'json':
        if (!fits(result.value)) throw tooLarge();
        document = asDocument(result.value);
        return;
      case 'series':
        for await (const each of result.results) await receive(each);
        return;
      case 'pieces':
      case 'following':
      case 'nothing':
        return;
    }
  }

  return {
    output: {
      ...capturedStreams,
      redactor,
      hints,
      progress: {
        show: (message) => onProgress(redactor.redact(message)),
        stop() {},
        clear() {},
        pause() {},
      },
      messages: capturedMessages({
        say,
        log: (line) => log(redactor.redact(line)),
        onMore: () => {
          hasMore = true;
        },
      }),
      receive,
    },
    async answer(error) {
      const failure = error && { error: await describe(error) };
      const done = error === undefined ? document : itemsDoneBeforeFailure(document);
      const isCut = hasMore && 'items' in done;
      const clean = withoutToken({ ...failure, ...done, ...(isCut && { more: true }) }, redactor);
      if (isCut)
        say(
          isTooLarge
            ? 'There are more records, but the whole list is too large for one answer. Ask for fewer records or fewer vals at a time.'
            : 'There are more records. To see them, give a higher limit.',
        );
      const shown = text === undefined || error ? stringifyJson(clean) : redactor.redact(text);
      return {
        document: isObject(clean) ? clean : {},
        texts: [shown, ...(await sentences())],
        isError: error !== undefined,
      };
    },
  };
}

function unchangedLast(rows: readonly JsonObject[]): JsonObject[] {
  const isNews = ({ status }: JsonObject) => status !== 'unchanged' && status !== 'skipped';
  return [...rows.filter(isNews), ...rows.filter((row) => !isNews(row))];
}

function itemsDoneBeforeFailure(document: JsonObject): JsonObject {
  if (Object.keys(document).length === 0) return {};
  if (!Array.isArray(document.items)) return { items: [document] };
  return document.items.length > 0 ? document : {};
}

function asDocument(value: JsonValue): JsonObject {
  if (Array.isArray(value)) return { items: value };
  return isObject(value) ? value : { value };
}

const nowhere: Sink = { isTerminal: false, width: 80, async write() {}, async writeLong() {} };

const capturedStreams: Pick<
  Output,
  'stdout' | 'stderr' | 'format' | 'interruptibleIfReadOnly' | 'watchWrites'
> = {
  stdout: nowhere,
  stderr: nowhere,
  format: {
    kind: 'json',
    fields: undefined,
    color: false,
    forPerson: false,
    glyphs: glyphsFor({}, { platform: 'linux' }),
    links: false,
  },
  interruptibleIfReadOnly: async (work) => work(),
  watchWrites() {},
};

interface Listeners {
  say(sentence: Hints): void;
  log(line: string): void;
  onMore(): void;
}

const capturedMessages = ({ say, log, onMore }: Listeners): Messages => ({
  warn: say,
  note: say,
  hint: say,
  banner: say,
  instruct: say,
  more: onMore,
  trace: log,
  warnInText() {},
  done() {},
  line() {},
  table() {},
  error() {},
  async flush() {},
  async finish() {},
});
