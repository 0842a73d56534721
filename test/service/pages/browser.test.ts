import { writeFileSync } from 'node:fs';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromium, faintTexts, patienceMs, startBrowser } from '../../support/chromium.ts';
import { exactCode, teamOfVals } from './team-of-vals.ts';

const widths = [360, 768, 1_600];
const schemes = ['light', 'dark'];

describe.skipIf(chromium === undefined)('in a browser', async () => {
  let browser: Browser;
  /** Each browser context costs half a second, so the tests that only need a signed-in person share one. */
  let signedIn: Awaited<ReturnType<typeof newVisit>>;
  const team = await teamOfVals();
  const { ids, ada, service } = team;
  const at = (path: string) => new URL(path, service.baseUrl).href;

  beforeAll(async () => {
    browser = await startBrowser();
    signedIn = await newVisit();
    await signedIn.context.overridePermissions(service.baseUrl, [
      'clipboard-read',
      'clipboard-sanitized-write',
    ]);
    await signedIn.page.goto(at('/'));
    await sendForm(signedIn.page, ada.token);
  });
  afterAll(() => browser?.close());

  /** A browser that nobody has used, and what its pages write to the console. */
  async function newVisit() {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    page.setDefaultTimeout(patienceMs);
    const console: string[] = [];
    page.on('console', (message) => console.push(`${page.url()}: ${message.text()}`));
    page.on('pageerror', (error) => console.push(`${page.url()}: ${error}`));
    return { context, page, console };
  }

  async function sendForm(page: Page, token: string) {
    await page.type('#token', token);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  }

  const textOf = async (page: Page) => `${await page.evaluate('document.body.innerText')}`;

  test('a person signs in with a token, goes on to the page, and signs out', async () => {
    const { page, console } = await newVisit();
    await page.goto(at('/@acme/runs?error=true'));
    expect(await page.title()).toBe('Sign in · vals');
    await sendForm(page, ada.token);
    expect(page.url()).toBe(at('/@acme/runs?error=true'));
    expect(await page.title()).toBe('Runs · acme · vals');
    expect(await textOf(page)).toContain('Signed in as ada');
    await Promise.all([page.waitForNavigation(), page.click('form[action="/sign-out"] button')]);
    await page.goto(at(`/@acme/vals/${ids.exact}`));
    expect(await page.title()).toBe('Sign in · vals');
    expect(console).toEqual([]);
    await sendForm(page, 'wrong');
    expect(await textOf(page)).toContain('does not know the token');
    await Promise.all([page.waitForNavigation(), page.click('.brand')]);
    expect(page.url()).toBe(at('/'));
  });

  /** Addresses that differ in ids, numbers and positions alone have one shape. One page of each is enough. */
  const shapeOf = (address: string) => address.replace(/(?<=vals\/|runs\/|versions\/|=)[\w-]+/g, '*');
  const hasEnough = (link: string, seen: Set<string>) =>
    [...seen].some((other) => shapeOf(other) === shapeOf(link));

  test('every link of every page works, and every page has a way home and a way out', async () => {
    const [cookie] = await signedIn.page.cookies();
    const seen = new Set([at('/')]);
    for (const address of seen) {
      const response = await fetch(address, { headers: { Cookie: `${cookie?.name}=${cookie?.value}` } });
      expect(response.status, address).toBeLessThan(400);
      if (address.endsWith('/raw')) continue;
      const html = await response.text();
      expect(html, address).toContain('class="brand" href="/"');
      expect(html, address).toMatch(/<form [^>]*action="\/sign-out"/);
      expect(html, address).toContain('Signed in as <b>ada</b>');
      for (const [, href = ''] of html.matchAll(/<a [^>]*href="([^"]*)"/g)) {
        const link = new URL(href.replaceAll('&amp;', '&').replace(/#.*/, ''), address).href;
        if (link.startsWith(service.baseUrl) && !hasEnough(link, seen)) seen.add(link);
      }
    }
    expect(new Set([...seen].map(shapeOf)).size).toBeGreaterThan(14);
  });

  test('Copy gives exactly the code, says so, and offers itself again', async () => {
    const { page, console } = signedIn;
    await page.goto(at(`/@acme/vals/${ids.exact}`));
    await page.bringToFront();
    await page.click('[data-copy]');
    await page.waitForFunction('document.getElementById("said").textContent !== ""');
    expect(await textOf(page)).toContain('The code is on the clipboard.');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(exactCode);
    await page.waitForFunction('document.querySelector("[data-copy]").textContent === "Copy"');
    expect(console).toEqual([]);
  });

  test('the keyboard alone finds a val, opens it and copies its code', async () => {
    const { page } = signedIn;
    await page.goto(at('/@acme/'));
    const tabTo = async (selector: string) => {
      for (let presses = 0; presses < 60; presses++) {
        await page.keyboard.press('Tab');
        const isThere = await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`);
        const outline = 'parseFloat(getComputedStyle(document.activeElement).outlineWidth)';
        if (isThere) return expect(await page.evaluate(outline)).toBeGreaterThan(0);
      }
      throw new Error(`no way to ${selector}`);
    };
    const press = () => Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    await tabTo('[type=search]');
    await page.keyboard.type('toISOString');
    await press();
    expect(page.url()).toBe(at('/@acme/search?q=toISOString'));
    await tabTo('.name');
    await press();
    expect(page.url()).toBe(at(`/@acme/vals/${ids.formatDate}`));
    await page.bringToFront();
    await tabTo('[data-copy]');
    await page.keyboard.press('Enter');
    await page.waitForFunction('document.getElementById("said").textContent.includes("clipboard")');
  });

  test('times are the ones of the reader, with their age', async () => {
    const { page } = signedIn;
    await page.emulateTimezone('Asia/Tokyo');
    await page.goto(at(`/vals/${ids.greet}`));
    const shown = async (selector: string, attribute: string) => {
      const time = `document.querySelector('${selector}')`;
      const [at, text] = (await page.evaluate(
        `[${time}.getAttribute('${attribute}'), ${time}.textContent]`,
      )) as string[];
      return { at: new Date(`${at}`), text: `${text}`.replace(/\s/g, ' ') };
    };
    const inTokyo = (at: Date, style: Intl.DateTimeFormatOptions) =>
      at.toLocaleString('en', { timeZone: 'Asia/Tokyo', ...style }).replace(/\s/g, ' ');
    const changed = await shown('time', 'datetime');
    expect(changed.text).toContain(inTokyo(changed.at, { hour: 'numeric', minute: '2-digit' }));
    expect(await textOf(page)).toMatch(/\((just now|\d+ minutes? ago)\)/);
    await page.goto(at('/@acme/runs'));
    const bar = await shown('[data-from]', 'data-from');
    expect(bar.text).toContain(inTokyo(bar.at, { dateStyle: 'medium', timeStyle: 'short' }));
  });

  const val = `/vals/${ids.greet}`;
  const pages = [
    '/@acme/',
    `/@acme${val}`,
    `/@acme${val}/versions/3`,
    '/@acme/runs',
    `/@acme/runs/${ids.failed}`,
  ];

  test('every page is legible and fits, from 360 to 1,600 pixels, light and dark', async () => {
    const { page, console } = signedIn;
    const check = async (path: string) => {
      await page.goto(at(path));
      for (const scheme of schemes) {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        expect(await page.evaluate(faintTexts), `${path} ${scheme}`).toEqual([]);
      }
      for (const width of widths) {
        await page.setViewport({ width, height: 900 });
        expect(
          await page.evaluate('document.documentElement.scrollWidth'),
          `${path} ${width}`,
        ).toBeLessThanOrEqual(width);
      }
    };
    for (const path of [...pages, '/nothing', '/']) await check(path);
    // Chromium writes a line for the page that does not exist.
    expect(console.filter((line) => !line.includes('/nothing'))).toEqual([]);
    await page.deleteCookie(...(await page.cookies()));
    for (const path of [val, '/']) await check(path);
  });

  test.runIf(process.env.VALS_PICTURE)('the picture for docs/services.md', async () => {
    const { page } = await newVisit();
    await page.goto(at('/@acme/'));
    await sendForm(page, ada.token);
    await page.setViewport({ width: 1_280, height: 860 });
    await page.goto(at(`/@acme/vals/${ids.greet}`));
    writeFileSync(`${process.env.VALS_PICTURE}`, await page.screenshot({ optimizeForSpeed: false }));
  });
});
