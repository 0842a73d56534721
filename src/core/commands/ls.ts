import { defineCommand, type Run } from '../command-line/command.ts';
import { text } from '../command-line/value-types.ts';
import type { SeenVal } from '../find-val/seen-file.ts';
import { takeRecords } from '../http/lists/pages.ts';
import { textAt } from '../http/record-fields.ts';
import type { JsonObject, Page } from '../lib/json.ts';
import { column, idColumn, moment } from '../output/column.ts';
import { paging, privacy } from './shared/options.ts';

export const command = defineCommand({
  summary: 'List your vals',
  description:
    'List your vals, or only the vals that match all of the words. The words may be in the name of a val. If the ' +
    'service has a search, the words may also be in the code of the val. If the service cannot list vals, the ' +
    'command shows the vals that this machine has seen.',
  arguments: {
    words: {
      description: 'only vals that match all of these words',
      value: text('words'),
      optional: true,
      repeatable: true,
    },
  },
  options: {
    privacy: { ...privacy, description: 'only vals with this privacy: public, unlisted or private' },
    ...paging,
  },
  examples: ['vals ls', 'vals ls example', 'vals ls --all --json | jq -r ".[].name"'],
  columns: [
    column('name'),
    { ...column('privacy'), droppable: 2 },
    { ...column('version'), droppable: 4 },
    { ...moment('changed', 'versionCreatedAt', 'updatedAt'), droppable: 3 },
    idColumn('id'),
  ],
  empty: [
    'You have no vals yet. Write some code to hello.ts.',
    { text: 'To make it a val', command: 'push', input: { paths: ['hello.ts'] } },
  ],
  async run(run, { words, privacy, ...paging }) {
    const {
      api: connect,
      vals: { seen },
      out: { say },
    } = run;
    const api = await connect();
    const isSearch = words.length > 0 || privacy !== undefined;
    if (!isSearch) {
      const { openMyVals } = await import('../find-val/my-vals.ts');
      const pages = await openMyVals(api, seen, paging);
      if (pages !== undefined) return { kind: 'list', rows: pages };
    }
    const { filterRecords, nameHas, openMatchingVals } = await import('../find-val/matching-vals.ts');
    const isKept = (record: JsonObject) => privacy === undefined || hasPrivacy(record, privacy);
    const matching = await openMatchingVals(api, seen, words);
    if (words.length > 0 && matching?.comparesOnlyNames) {
      say({
        kind: 'note',
        text: 'The service has no search of your own vals, so the words were compared only with the names of vals.',
      });
    }
    if (matching === undefined) {
      say({
        kind: 'note',
        text: 'The service cannot list vals. The list below has only the vals that this machine has seen.',
      });
    }
    const pages = matching?.pages ?? seenPages(run, (record) => nameHas(record, words));
    const rows = takeRecords(filterRecords(pages, isKept), paging);
    if (!isSearch) return { kind: 'list', rows };
    return { kind: 'list', rows, emptyHint: 'None of your vals matches your search.' };
  },
});

const hasPrivacy = (record: JsonObject, privacy: string): boolean => textAt(record, 'privacy') === privacy;

async function* seenPages(
  { vals: { seen } }: Run,
  isKept: (record: JsonObject) => boolean,
): AsyncGenerator<Page> {
  const { mine } = await seen.recall();
  yield { records: mine.reverse().map(recordOf).filter(isKept) };
}

const recordOf = ({ id, name, version }: SeenVal): JsonObject => ({
  id,
  name,
  ...(version !== undefined && { version }),
});
