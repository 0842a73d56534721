import { existsSync } from 'node:fs';
import type { Browser } from 'puppeteer-core';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Where a Chromium is, for the tests of the pages. */
export const chromium = places.find((place) => existsSync(place));

/** For a busy machine: how long to wait for the browser, and for a page. */
export const patienceMs = 200_000;

/** A browser with a profile of its own, which talks to nobody but the pages that it opens. */
export async function startBrowser(): Promise<Browser> {
  const { default: puppeteer } = await import('puppeteer-core');
  return puppeteer.launch({
    executablePath: chromium ?? '',
    timeout: patienceMs,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--force-color-profile=srgb',
      '--lang=en-GB',
    ],
  });
}

/**
 * Runs in the page. Lists texts with a contrast below 4.5, line numbers included. Text in `hidden` is for screen readers
 * alone.
 */
export const faintTexts = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => {
    const [R, G, B] = [r, g, b].map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * R + 0.7152 * G + 0.0722 * B;
  };
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = channels(getComputedStyle(at).backgroundColor);
      if (color[3] !== 0) return color;
    }
    return [255, 255, 255];
  };
  const contrast = (color, behind) => {
    const [light, dark] = [luminance(channels(color)), luminance(behind)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const faint = [];
  const check = (element, pseudo, text) => {
    const ratio = contrast(getComputedStyle(element, pseudo).color, background(element));
    if (ratio < 4.5) faint.push(text.trim().slice(0, 30) + ' ' + ratio.toFixed(2));
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest('script, style, .hidden, .skip, [hidden]')) continue;
    check(element, null, node.data);
  }
  for (const line of document.querySelectorAll('.l')) check(line, '::before', 'line number');
  for (const field of document.querySelectorAll('input')) check(field, '::placeholder', 'placeholder');
  return [...new Set(faint)];
})()`;
