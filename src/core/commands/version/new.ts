import { defineCommand } from '../../command-line/command.ts';
import { readCode } from '../../files/read-text.ts';
import { etagAtVersion } from '../../http/expected-version.ts';
import { newVersion } from '../../http/versions.ts';
import { noCheck, refuseBrokenCode } from '../../push/syntax.ts';
import * as routes from '../../routes.ts';
import { valColumns } from '../shared/columns.ts';
import { codeFile, dryRun, ifVersion, plan, valArgument } from '../shared/options.ts';
import { additionResult, newVersionSentence, versionRead } from '../shared/written.ts';

export const command = defineCommand({
  summary: 'Add a version to a val',
  description:
    'Add a version to a val, from a file or from standard input. If the code is the same as the current code, the ' +
    'service may add no version.',
  arguments: {
    val: valArgument,
    file: codeFile,
  },
  options: { ifVersion, noCheck, dryRun },
  examples: ['vals version new hello examples/hello.ts', 'vals version new hello hello.ts --if-version 3'],
  columns: valColumns,
  async run(context, { val, file = '-', ifVersion, noCheck, dryRun }) {
    const code = await readCode(file, context);
    await refuseBrokenCode(file, code, { noCheck });
    if (dryRun && ifVersion === undefined) return plan(routes.createVersion(val, code));
    const api = await context.api();
    const ifMatch = ifVersion === undefined ? val.read?.etag : await etagAtVersion(api, val, ifVersion);
    const before = ifVersion ?? versionRead(val);
    const call = newVersion(api, val, code, { before, ifMatch });
    if (dryRun) return plan(call);
    const reply = await api.send({ ...call, expects: 'record' });
    return additionResult(context, { val, code, reply, before }, newVersionSentence);
  },
});
