import { expect, it } from 'vitest';
import { runOnScreen } from '../../support/program.ts';
import { startTeam } from '../support/team.ts';

it('val rm names the vals that import what is to be deleted, and counts those that the person may not see', async () => {
  const { ada, bob, baseUrl } = await startTeam();
  const used = await ada.createVal({ name: 'used', code: 'c', privacy: 'public' });
  const code = `import '${baseUrl}/v1/vals/${used.id}/module'`;
  await ada.createVal({ name: 'own', code });
  await ada.createVal({ name: 'leaving', code });
  await bob.createVal({ name: 'shown', code, privacy: 'public' });
  await bob.createVal({ name: 'hidden', code });
  const env = { VALS_BASE_URL: baseUrl, VALS_TOKEN: ada.token };
  const rm = (...words: string[]) =>
    runOnScreen(['val', 'rm', ...words, '--no-color'], {
      ...{ env, home: ada.home, columns: 120 },
      answers: [{ after: '[y/N]', keys: 'n\r' }],
    });
  const asked = await rm('used', 'leaving');
  expect(asked.screen).toContain('warning: used is imported by bob/shown, own and 1 more.');
  const planned = await rm('own', 'used', '--dry-run');
  expect(planned.screen).toContain('used is imported by bob/shown, leaving and 1 more.');
});
