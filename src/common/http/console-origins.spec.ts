import { describe, expect, it } from 'vitest';
import { loadSettings } from '../config/settings.js';
import { consoleOrigins } from './console-origins.js';

const originsOf = (list?: string) => [
  ...consoleOrigins(loadSettings(list === undefined ? {} : { SVCD_CONSOLE_ALLOWED_ORIGINS: list }).daemon),
];
const BUILT_IN = ['http://127.0.0.1:14800', 'http://localhost:14800', 'http://[::1]:14800'];

describe('the origins of the console', () => {
  it('are those of the list that are http(s) origins', () => {
    expect(originsOf('*,null,ftp://x,http://ok')).toEqual(['http://ok']);
    expect(originsOf(' https://a.example , HTTP://B.example:8080,https://a.example/path, https://u@c.example')).toEqual(
      ['https://a.example', 'http://b.example:8080'],
    );
    expect(originsOf('https://a.example:443')).toEqual(['https://a.example']);
    expect(originsOf('https://*.example')).toEqual(BUILT_IN);
  });

  it('are the built-in ones where none survives', () => {
    for (const list of [undefined, '', '*', 'null', ',,']) expect(originsOf(list)).toEqual(BUILT_IN);
  });
});
