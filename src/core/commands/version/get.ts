import { defineCommand } from '../../command-line/command.ts';
import { codeOf } from '../../http/record-fields.ts';
import { readVersion } from '../../http/versions.ts';
import { withoutUndefined } from '../../lib/json.ts';
import { byColumn, valColumns } from '../shared/columns.ts';
import { valArgument, versionArgument } from '../shared/options.ts';
import { isForProgram } from '../shared/written.ts';

export const command = defineCommand({
  summary: 'Show one version of a val',
  arguments: { val: valArgument, version: versionArgument },
  options: { code: { description: 'print only the code of the version, byte for byte' } },
  examples: ['vals version get hello 1 --code'],
  columns: [...valColumns, byColumn],
  async run(context, { val, version, code }) {
    const read = await readVersion(await context.api(), val, version);
    if (code) return { kind: 'text', text: codeOf(read) };
    // A service may send a version without the name and the id of its val.
    const facts = isForProgram(context) ? {} : { id: val.id, ...withoutUndefined({ name: val.name }) };
    return { kind: 'record', record: { ...facts, ...read } };
  },
});
