import {
  describeError,
  LocalError,
  RunFailedError,
  type ValsError,
  withHintText,
  withHintTexts,
} from '../errors.ts';
import type { Hints, HintWriter } from '../lib/hint.ts';
import { isObject, type JsonObject, type JsonValue, stringifyJson } from '../lib/json.ts';
import { countOutcomes } from '../lib/outcome.ts';
import { type Messages, moreRecords } from '../terminal/messages.ts';
import type { Output } from '../terminal/output.ts';
import type { ListResult, Result } from '../terminal/result.ts';
import type { Redactor, Sink } from '../terminal/streams.ts';
import { glyphsFor } from '../terminal/style.ts';

interface CaptureOptions {
  hints: HintWriter;
  redactor: Redactor;
  log(line: string): void;
  onProgress(message: string): void;
}

export interface ToolResult {
  document: JsonObject;
  texts: string[];
  isError: boolean;
}

interface Captured {
  output: Output;
  result(error: ValsError | undefined): Promise<ToolResult>;
}

/** Together at most 50,000 characters. */
const mostOfDocument = 40_000;
const mostOfSentences = 3_000;
const mostOfErrorField = 2_000;

export function captureOutput({ hints, redactor, log, onProgress }: CaptureOptions): Captured {
  const said: Hints[] = [];
  let document: JsonObject = {};
  let text: string | undefined;
  let hasMore = false;

  const say = (sentence: Hints) => void said.push(sentence);

  async function takeList(rows: ListResult['rows']): Promise<void> {
    const items: JsonObject[] = [];
    document = { items };
    let size = 0;
    for await (const { records } of Symbol.asyncIterator in rows ? rows : [{ records: rows }]) {
      for (const record of records) {
        size += stringifyJson(record).length + 1;
        if (size > mostOfDocument) {
          if (items.length === 0) throw tooLarge();
          hasMore = true;
          say('There are more records, but a result has at most 50,000 characters. Ask for less at a time.');
          return;
        }
        items.push(record);
      }
    }
  }

  async function takeOutcomes(rows: readonly JsonObject[]): Promise<void> {
    const isNews = ({ status }: JsonObject) => status !== 'unchanged' && status !== 'skipped';
    const whole = await withHintTexts(rows, hints.write);
    await takeList(fits(whole) ? whole : [...whole.filter(isNews), ...whole.filter((row) => !isNews(row))]);
    if (hasMore) say(`All ${rows.length} outcomes: ${countOutcomes(rows)}.`);
  }

  function take(value: JsonObject): void {
    if (!fits(value)) throw tooLarge();
    document = value;
  }

  async function receive(result: Result): Promise<void> {
    switch (result.kind) {
      case 'record':
        if (result.error === undefined || fits(result.record)) take(result.record);
        return;
      case 'list':
      case 'diffs':
        return takeList(result.rows);
      case 'outcomes':
        return takeOutcomes(result.rows);
      case 'text':
        take({ text: result.text });
        text = result.text;
        return;
      case 'json':
        return take(asDocument(result.value));
      case 'series':
        for await (const each of result.results) await receive(each);
        return;
      case 'pieces':
      case 'following':
      case 'nothing':
        return;
    }
  }

  async function sentences(): Promise<string[]> {
    const written = new Set(await Promise.all(said.map(hints.write)));
    return written.size === 0 ? [] : [[...written].join('\n').slice(0, mostOfSentences)];
  }

  return {
    output: {
      ...capturedStreams,
      redactor,
      hints,
      progress: { show: onProgress, stop() {}, clear() {} },
      messages: capturedMessages(say, log, (isCertain = true) => {
        hasMore ||= isCertain;
        say(`${moreRecords(isCertain)} To see them, give a higher limit.`);
      }),
      receive,
    },
    async result(error) {
      if (error === undefined) {
        const whole: JsonObject = hasMore ? { ...document, more: true } : document;
        return {
          document: whole,
          texts: [text ?? stringifyJson(whole), ...(await sentences())],
          isError: false,
        };
      }
      const described = shortened(await withHintText(describeError(error), hints.write));
      const whole: JsonObject = {
        error: described,
        ...itemsDone(document),
        ...(hasMore && { more: true }),
        ...(error instanceof RunFailedError && error.logs && { logs: error.logs }),
      };
      return { document: whole, texts: [stringifyJson(whole), ...(await sentences())], isError: true };
    },
  };
}

const fits = (value: JsonValue): boolean => stringifyJson(value).length <= mostOfDocument;

const tooLarge = (): LocalError =>
  new LocalError('The call succeeded, but its result has more than 50,000 characters.', {
    hint: [
      'Ask for less.',
      { text: 'To write the code of a large val into a file', command: 'pull', input: { vals: true } },
    ],
  });

/** A service may send a long error. */
const shortened = (error: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(error).map(([key, value]) => {
      const text = typeof value === 'string' ? value : stringifyJson(value);
      return [key, text.length > mostOfErrorField ? text.slice(0, mostOfErrorField) : value];
    }),
  );

function itemsDone(document: JsonObject): JsonObject {
  if (Object.keys(document).length === 0) return {};
  if (!Array.isArray(document.items)) return { items: [document] };
  return document.items.length > 0 ? document : {};
}

function asDocument(value: JsonValue): JsonObject {
  if (Array.isArray(value)) return { items: value };
  return isObject(value) ? value : { value };
}

const nowhere: Sink = { isTerminal: false, width: 80, async write() {}, async writeLong() {} };

const capturedStreams: Pick<Output, 'stdout' | 'stderr' | 'format'> = {
  stdout: nowhere,
  stderr: nowhere,
  format: {
    kind: 'json',
    fields: undefined,
    color: false,
    forPerson: false,
    glyphs: glyphsFor({}, { platform: 'linux' }),
  },
};

const capturedMessages = (
  say: (sentence: Hints) => void,
  log: (line: string) => void,
  more: Messages['more'],
): Messages => ({
  warn: say,
  note: say,
  hint: say,
  banner: say,
  instruct: say,
  more,
  trace: log,
  warnInText() {},
  done() {},
  line() {},
  table() {},
  error() {},
  async flush() {},
  async finish() {},
});
