import { defineCommand } from '../../command-line/command.ts';
import { codeOf } from '../../http/record-fields.ts';
import * as routes from '../../routes.ts';
import { byColumn, valColumns } from '../shared/columns.ts';
import { valArgument, versionArgument } from '../shared/options.ts';

export const command = defineCommand({
  summary: 'Show one version of a val',
  arguments: { val: valArgument, version: versionArgument },
  options: { code: { description: 'print only the code of the version, byte for byte' } },
  examples: ['vals version get hello 1 --code'],
  columns: [...valColumns, byColumn],
  async run({ api: connect }, { val, version, code }) {
    const record = await (await connect()).record(routes.getVersion(val, version));
    return code ? { kind: 'text', text: codeOf(record) } : { kind: 'record', record };
  },
});
