import { codeOf, textAt } from '../../api/records.ts';
import * as routes from '../../api/routes.ts';
import { defineCommand, toggle } from '../../cli/command.ts';
import { valColumns } from '../shared/columns.ts';
import { valArgument } from '../shared/options.ts';

export const command = defineCommand({
  summary: 'Show a val',
  description: 'Show a val. Works without a token where the service allows it.',
  arguments: { val: valArgument },
  options: {
    code: toggle('--code', 'its code alone, byte for byte', { conflicts: ['readme'] }),
    readme: toggle('--readme', 'its readme alone, byte for byte'),
  },
  examples: ['vals val get hello', 'vals val get hello --code > hello.ts'],
  columns: valColumns,
  async run({ connect, say, forPerson }, { val, code, readme }) {
    const record = await (await connect()).record({ ...routes.getVal(val), withoutToken: true });
    if (readme) return { kind: 'text', text: textAt(record, 'readme') ?? '' };
    if (code) return { kind: 'text', text: codeOf(record) };
    if (forPerson) say.hint('--code prints its code.');
    return { kind: 'record', record };
  },
});
