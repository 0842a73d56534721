import { type Context, defineCommand } from '../command-line/command.ts';
import { text } from '../command-line/value-types.ts';
import type { SeenVal } from '../find-val/seen-vals.ts';
import { takeRecords } from '../http/lists/pages.ts';
import { sh } from '../lib/hint.ts';
import { type JsonObject, type Page, textAt } from '../lib/json.ts';
import { myValColumns } from './shared/columns.ts';
import { paging } from './shared/options.ts';

const pushFile = sh`To make a val of a file, run ${['push', 'hello.ts']}.`;

export const command = defineCommand({
  summary: 'List your vals',
  description:
    'List your vals, or only the vals whose name contains a word. If the service cannot list vals, the command shows ' +
    'the vals that this machine has seen.',
  arguments: {
    word: { description: 'only vals whose name contains this word', value: text('word'), optional: true },
  },
  options: paging,
  examples: ['vals ls', 'vals ls example', 'vals ls --all --json | jq -r ".[].name"'],
  columns: myValColumns,
  empty: ['You have no vals yet.', pushFile],
  async run(context, { word, ...paging }) {
    const { valList } = context.vals;
    const listed = await valList.pages(word === undefined ? paging : { all: true });
    if (listed !== undefined && word === undefined) return { kind: 'list', rows: listed };
    if (listed === undefined) {
      const { unowned } = context.vals.seen.recall();
      const whose = unowned.length > 0 ? ', and the last ones may belong to others' : '';
      context.out.say({
        kind: 'note',
        text: `The service cannot list vals. The list has only the vals that this machine has seen; some may be gone${whose}.`,
      });
    }
    const rows = takeRecords(withWord(listed ?? seenPages(context), word), paging);
    const whose = listed === undefined ? 'the vals that this machine has seen' : 'your vals';
    if (word !== undefined)
      return { kind: 'list', rows, emptyHint: `None of ${whose} has the word in its name.` };
    return { kind: 'list', rows, emptyHint: ['This machine has seen none of your vals.', pushFile] };
  },
});

async function* withWord(pages: AsyncIterable<Page>, word = ''): AsyncGenerator<Page> {
  const hasWord = (record: JsonObject) =>
    (textAt(record, 'name') ?? '').toLowerCase().includes(word.toLowerCase());
  for await (const page of pages) yield { ...page, records: page.records.filter(hasWord) };
}

async function* seenPages({ vals: { seen } }: Context): AsyncGenerator<Page> {
  const { mine, unowned } = seen.recall();
  yield { records: [...unowned, ...mine].reverse().map(recordOf) };
}

const recordOf = ({ id, name, version }: SeenVal): JsonObject => ({
  id,
  name,
  ...(version !== undefined && { version }),
});
