// All pages, which are loaded together with the first of them.
export { problemPage, signInPage } from './plain-pages.ts';
export { runPage } from './run-page.ts';
export { runsPage } from './runs-page.ts';
export { valPage } from './val-page.ts';
export { homePage, searchPage } from './vals-page.ts';
export { versionPage } from './version-page.ts';
