// The pages without vals: the sign-in, and problems.

import { STATUS_CODES } from 'node:http';
import { type HttpProblem, problemHeaders } from '../problem.ts';
import type { ServiceReply } from '../request.ts';
import { html } from './html.ts';
import { pageReply } from './page-layout.ts';
import { firstPage, type PageView } from './visitor.ts';

interface SignIn {
  /** Where the browser goes on. */
  next: string;
  problem?: string;
  status: number;
}

export const signInPage = (view: PageView, { next, problem, status }: SignIn): ServiceReply =>
  pageReply(view, {
    title: 'Sign in',
    status,
    main: html`<h1>Sign in</h1>
${problem === undefined ? '' : html`<p class="bad" role="alert">✗ ${problem}</p>`}
<form method="post" action="/sign-in?next=${encodeURIComponent(next)}">
<p><label for="token">Your token</label></p>
<input name="username" value="vals" autocomplete="username" hidden>
<p class="fields"><input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button>Sign in</button></p>
</form>
<p>Or run <code>vals open</code> where you are signed in on the command line.</p>
<p>You have no token? Ask the person who runs this service.</p>`,
  });

export function problemPage(view: PageView, problem: HttpProblem): ServiceReply {
  const { status, message } = problem;
  const title = STATUS_CODES[status] ?? 'Problem';
  const { 'Content-Type': _, ...headers } = problemHeaders(problem);
  return pageReply(view, {
    title,
    status,
    headers,
    main: html`<h1>${title}</h1><p>${message}</p><p><a href="${view.visitor ? firstPage(view.visitor) : '/'}">Go to the first page</a></p>`,
  });
}
