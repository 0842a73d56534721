import { resolve } from 'node:path';
import { defineCommand } from '../../command-line/command.ts';
import { newName, path } from '../../command-line/value-types.ts';
import { hasStatus, PartialError, UsageError, type ValsError } from '../../errors.ts';
import { readCode } from '../../files/read-text.ts';
import { hintList, sh } from '../../lib/hint.ts';
import { isObject, textAt, withoutUndefined } from '../../lib/json.ts';
import { isFile } from '../../lib/paths.ts';
import { namePattern } from '../../lib/vals.ts';
import { privacyOfNew, publicity, refusePublishing } from '../../push/privacy.ts';
import { noCheck, refuseBrokenCode } from '../../push/syntax.ts';
import * as routes from '../../routes.ts';
import { valColumns } from '../shared/columns.ts';
import { codeFile, dryRun, plan, privacy, readReadme } from '../shared/options.ts';
import { writtenResult } from '../shared/written.ts';

export const command = defineCommand({
  summary: 'Create a val',
  description: 'Create a val from a file, or from standard input. The name must be new.',
  arguments: {
    name: { description: 'the name of the val', value: newName() },
    file: codeFile,
  },
  options: {
    readme: { description: 'a file with the readme of the val', value: path() },
    privacy,
    noCheck,
    dryRun,
  },
  examples: [
    'vals val create hello examples/hello.ts --privacy public',
    'echo "export default () => 1" | vals val create one',
  ],
  columns: valColumns,
  async run(context, { name, file = '-', readme, privacy, noCheck, dryRun }) {
    if (file === '-' && readme === '-') {
      throw new UsageError('Standard input cannot be both the code and the readme.', {
        hint: 'Give the path of a file for the code or for the readme.',
      });
    }
    if (file === '-' && !namePattern.test(name) && isFile(resolve(context.settings.cwd, name))) {
      throw new UsageError(`${name} is a file, not the name of a val.`, {
        hint: sh`To make the file a val, run ${['push', name]}.`,
      });
    }
    refusePublishing(context, privacy);
    const code = await readCode(file, context);
    const readmeText = readme === undefined ? undefined : await readReadme(readme, context);
    const call = routes.createVal({
      name,
      code,
      ...(readmeText !== undefined && { readme: readmeText }),
      ...withoutUndefined({ privacy: privacyOfNew(context, privacy) }),
    });
    await refuseBrokenCode(file, code, { noCheck });
    if (dryRun) return plan(call);
    const api = await context.api();
    const reply = await api.send({ ...call, expects: 'record' }).catch((error) => {
      throw hasStatus(error, 409) ? namingVersion(error, name, file) : error;
    });
    const { status, body: record } = reply;
    const done = status === 201 ? `Created ${name}.` : `The service accepted ${name}.`;
    const privacyNow = isObject(record) ? textAt(record, 'privacy') : undefined;
    const isTooPublic = privacy !== undefined && publicity(privacyNow, 0) > publicity(privacy, 0);
    if (!isObject(record) || !isTooPublic) return writtenResult(context, reply, done);
    context.out.say({ kind: 'done', text: done });
    const message = `The service made ${name} ${privacyNow} instead of ${privacy}.`;
    const hint = sh`To change its privacy, run ${['val', 'set', name, '--privacy', privacy]}.`;
    return { kind: 'record', record, error: new PartialError(message, { hint }) };
  },
});

/** Somebody who has new code for a val that is there may send it as a version. */
function namingVersion(error: ValsError, name: string, file: string): ValsError {
  const newVersion = sh`To make the code a version of that val, run ${['version', 'new', name, file]}.`;
  error.facts.hint = [...hintList(error.facts.hint), newVersion];
  return error;
}
