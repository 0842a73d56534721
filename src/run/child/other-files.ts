import { AccessDenied, replace } from './deny.ts';

/**
 * A val must not change the working directory, because Node checks a relative path against the working directory of the
 * call, but opens the file later, from the working directory of that moment.
 */
export function protectOtherFiles(): void {
  replace(process, 'chdir', () => {
    throw new AccessDenied('WorkingDirectory');
  });
}
