import { LocalError, type ValsError } from '../core/errors.ts';
import { type Hints, sh, type WriteHints } from '../core/lib/hint.ts';
import {
  isObject,
  type JsonObject,
  type JsonValue,
  type Page,
  stringifyJson,
  textAt,
} from '../core/lib/json.ts';
import {
  describeError,
  type Event,
  type ListResult,
  moreRecords,
  type Out,
  pagesOf,
  type Result,
} from '../core/output/out.ts';

interface ToolOutOptions {
  writeHints: WriteHints;
  log(line: string): void;
  redact(text: string): string;
  onProgress(message: string): void;
}

export interface ToolResult {
  document: JsonObject;
  texts: string[];
  isError: boolean;
}

/** Together at most 50,000 characters. */
const mostOfDocument = 40_000;
const mostOfSentences = 3_000;
const mostOfErrorBody = 2_000;

export interface ToolOut extends Out {
  /** After the end of the command, what the agent gets. */
  toolResult(error: ValsError | undefined): Promise<ToolResult>;
}

export function createToolOut(options: ToolOutOptions): ToolOut {
  const { writeHints, redact } = options;
  const said: Hints[] = [];
  const collector = createCollector(options, said);
  return {
    forPerson: false,
    say: (event) => collectEvent(event, said, options),
    async flush() {},
    show: collector.take,
    async row() {},
    async print() {},
    redact,
    async toolResult(error) {
      const document = collector.document(error);
      const text = error === undefined ? collector.text() : undefined;
      const sentences = [...new Set(said.map(writeHints))].join('\n');
      const texts = [text ?? stringifyJson(document)];
      if (sentences !== '') texts.push(redact(sentences).slice(0, mostOfSentences));
      return { document, texts, isError: error !== undefined };
    },
  };
}

function collectEvent(event: Event, said: Hints[], { log, onProgress }: ToolOutOptions): void {
  switch (event.kind) {
    case 'warning':
      // The error of the result already contains the problem.
      if (!event.onlyInText) said.push(event.text);
      break;
    case 'note':
    case 'hint':
      said.push(event.text);
      break;
    case 'lines':
      if (event.despite !== 'pipe') said.push(event.text);
      break;
    case 'progress':
      if (event.text !== undefined) onProgress(event.text);
      break;
    case 'trace':
      log(event.text);
      break;
    case 'done':
    case 'table':
      break;
  }
}

/** Makes one document of the results of a command, with as many records as an agent can read. */
function createCollector({ writeHints }: ToolOutOptions, said: Hints[]) {
  let document: JsonObject = {};
  let text: string | undefined;
  let hasMore = false;

  async function takeList(rows: ListResult['rows']): Promise<void> {
    const items: JsonObject[] = [];
    // If a later page fails, the result has the records of the pages before it.
    document = { items };
    const list = await readList(pagesOf(rows, writeHints), items);
    hasMore = list.hasMore;
    if (list.note !== undefined) said.push(list.note);
  }

  function takeDocument(value: JsonObject, insteadOfAll: Hints = askForLess): void {
    if (!fits(value)) throw tooLarge(insteadOfAll);
    document = value;
  }

  /** Never with a part of a text, which an agent could take for the whole and write back. */
  function takeRecord(record: JsonObject): void {
    if (fits(record)) {
      document = record;
      return;
    }
    const { code, ...withoutCode } = record;
    const { readme, ...short } = withoutCode;
    hasMore = code !== undefined || readme !== undefined;
    said.push('The code is left out, because a result has at most 50,000 characters.', pullCode);
    takeDocument(fits(withoutCode) ? withoutCode : short);
  }

  function takeRun(run: JsonObject): JsonObject {
    const logs = textAt(run, 'logs') ?? '';
    if (endOfOutput(logs) === logs) return run;
    said.push('The output of the run is long. `logs` has only the end of it.');
    return { ...run, logs: endOfOutput(logs) };
  }

  function takeJson(value: JsonObject): void {
    takeDocument(isObject(value.run) ? { ...value, run: takeRun(value.run) } : value, returnLess);
  }

  async function take(result: Result): Promise<void> {
    switch (result.kind) {
      case 'record': {
        const record = takeRun(result.record);
        if (result.error === undefined || fits(record)) takeRecord(record);
        return;
      }
      case 'list':
      case 'diffs':
        return takeList(result.rows);
      case 'text':
        if (typeof result.text !== 'string') return;
        takeDocument({ text: result.text }, pullCode);
        text = result.text;
        return;
      case 'json':
        return takeJson(asDocument(result.value));
      case 'nothing':
        return;
    }
  }

  return {
    take,
    text: () => text,
    document(error: ValsError | undefined): JsonObject {
      const more: JsonObject = hasMore ? { more: true } : {};
      if (error === undefined) return { ...document, ...more };
      return {
        error: withoutLongBody(describeError(error, writeHints)),
        ...itemsDone(document),
        ...more,
        ...(error.facts.logs && { logs: endOfOutput(error.facts.logs) }),
      };
    },
  };
}

async function readList(
  pages: ReturnType<typeof pagesOf>,
  items: JsonObject[],
): Promise<{ hasMore: boolean; note?: string }> {
  let size = 0;
  let end: Page['end'];
  for await (const page of pages) {
    for (const record of page.records) {
      size += stringifyJson(record).length + 1;
      if (size > mostOfDocument) {
        if (items.length === 0) throw tooLarge(askForLess);
        return {
          hasMore: true,
          note: 'There are more records, but a result has at most 50,000 characters. Ask for less at a time.',
        };
      }
      items.push(record);
    }
    end = page.end;
  }
  const more = moreRecords(end);
  return {
    hasMore: end === 'more',
    ...(more !== undefined && { note: `${more} To see them, give a higher limit.` }),
  };
}

/** Agents read results as text, and a long one would push other things out of their memory. */
const endOfOutput = (logs: string): string => logs.slice(-20_000);

const fits = (value: JsonValue): boolean => stringifyJson(value).length <= mostOfDocument;

const askForLess = 'Ask for less.';
const pullCode: Hints = sh`To write the code into a file, run ${['pull', '<val...>']}.`;
/** Of a run, which is the only command with such a result. */
const returnLess = 'Change the code so that it returns less, and prints what is worth reading.';

const tooLarge = (hint: Hints): LocalError =>
  new LocalError('The call succeeded, but its result has more than 50,000 characters.', { hint });

/** A service may send a long error. What it means is in the message. */
function withoutLongBody({ body = null, ...error }: JsonObject): JsonObject {
  return stringifyJson(body).length > mostOfErrorBody ? error : { ...error, ...(body !== null && { body }) };
}

function itemsDone(document: JsonObject): JsonObject {
  if (Object.keys(document).length === 0) return {};
  if (!Array.isArray(document.items)) return { items: [document] };
  return document.items.length > 0 ? document : {};
}

function asDocument(value: JsonValue): JsonObject {
  if (Array.isArray(value)) return { items: value };
  return isObject(value) ? value : { value };
}
