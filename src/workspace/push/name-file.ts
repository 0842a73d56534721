import { UsageError } from '../../core/errors.ts';
import type { Look } from '../look.ts';
import type { LocalVal } from '../select.ts';
import { pathTo } from '../workspace.ts';

/**
 * `vals push --name` is for a file whose val does not exist yet. A val with the name that the file would have without the
 * option may be the val of another file.
 */
export async function refuseTakenName(
  { names, remotes, workspace }: Look,
  { file, name }: LocalVal,
  nameOfFile: string | undefined,
): Promise<void> {
  const listed = workspace.manifest.names.get(file);
  if (listed === name || (listed === undefined && nameOfFile === name)) return;
  const nameBefore = listed ?? nameOfFile;
  const path = pathTo(workspace, file);
  const exists = async (each: string) => {
    const found = await remotes.named(each, workspace.records.of(each));
    return found !== undefined && found !== 'unknown';
  };
  const isOfOtherFile =
    [...names].some(([other, nameOfOther]) => other !== file && nameOfOther === nameBefore) &&
    workspace.records.of(nameBefore ?? '')?.file !== file;
  if (nameBefore !== undefined && !isOfOtherFile && (await exists(nameBefore))) {
    throw new UsageError(`${path} already has a val: "${nameBefore}".`, {
      hint: { text: 'To rename the val', command: 'val set', input: { val: nameBefore, name } },
    });
  }
  if (await exists(name))
    throw takenName(`There is already a val named "${name}", so ${path} cannot become that val.`, name);
}

/** Two files of one name are refused in general, but here it is clear which of them shall have another name. */
export function refuseNameOfOtherFile({ names, workspace }: Look, { file, name }: LocalVal): void {
  const [other] = [...names].find(([each, nameOfEach]) => nameOfEach === name && each !== file) ?? [];
  if (other === undefined) return;
  const paths = [other, file].sort().map((each) => pathTo(workspace, each));
  throw takenName(`${paths.join(' and ')} would both be the val "${name}".`, name);
}

const takenName = (message: string, name: string): UsageError =>
  new UsageError(message, {
    hint: [
      'Choose another name.',
      { text: 'To rename the other val', command: 'val set', input: { val: name, name: true } },
    ],
  });
