import { defineCommand } from '../../command-line/command.ts';
import { val } from '../../command-line/value-types.ts';
import { codeOf, textAt } from '../../http/record-fields.ts';
import * as routes from '../../routes.ts';
import { shownValColumns, valColumns } from '../shared/columns.ts';

export const command = defineCommand({
  summary: 'Show a val',
  description: 'Show a val, or one of its versions. The command needs no token for a public or unlisted val.',
  arguments: {
    val: {
      description: 'the name, id, start of the id, or file of a val; NAME@2 is version 2',
      value: val({ orVersion: true }),
    },
  },
  options: {
    code: { description: 'print only the code of the val, byte for byte', conflicts: ['readme'] },
    readme: { description: 'print only the readme of the val, byte for byte' },
  },
  examples: ['vals val get hello', 'vals val get hello@1 --json', 'vals val get hello --code > hello.ts'],
  columns: valColumns,
  async run({ api: connect }, { val, code, readme }) {
    const { version } = val;
    const call = version === undefined ? routes.getVal(val) : routes.getVersion(val, version);
    const known = version === undefined ? val.read?.record : undefined;
    const record = known ?? (await (await connect()).record({ ...call, tokenIsOptional: true }));
    if (readme) return { kind: 'text', text: textAt(record, 'readme') ?? '' };
    if (code) return { kind: 'text', text: codeOf(record) };
    const { code: text } = record;
    if (typeof text !== 'string') return { kind: 'record', record };
    return { kind: 'record', record, forPerson: { columns: shownValColumns, text } };
  },
});
