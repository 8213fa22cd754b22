const SCRIPTS = [
  '<script>globalThis.__xss = 1</script>',
  '"><script>globalThis.__xss = 1</script>',
  "'-globalThis.__xss = 1-'",
  '</title><script>globalThis.__xss = 1</script>',
  '</textarea><script>globalThis.__xss = 1</script>',
  '</style><script>globalThis.__xss = 1</script>',
  '<img src=x onerror="globalThis.__xss = 1">',
  '<img src="https://evil.example/pixel.gif">',
  '<svg onload="globalThis.__xss = 1">',
  '<svg><script>globalThis.__xss = 1</script></svg>',
  '<svg><animate onbegin="globalThis.__xss = 1" attributeName=x dur=1s>',
  '<iframe srcdoc="<script>parent.__xss = 1</script>"></iframe>',
  '<iframe src="javascript:parent.__xss = 1"></iframe>',
  '<object data="https://evil.example/"></object>',
  '<embed src="https://evil.example/">',
  '<base href="https://evil.example/">',
  '<link rel="stylesheet" href="https://evil.example/a.css">',
  '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '<form action="https://evil.example/"><button>Sign in</button></form>',
  '<body onpageshow="globalThis.__xss = 1">',
  '<details open ontoggle="globalThis.__xss = 1">',
  '<input autofocus onfocus="globalThis.__xss = 1">',
  '<a href="javascript:globalThis.__xss = 1">here</a>',
  '<style>* { display: none }</style>',
  '<math><mtext><table><mglyph><style><img src=x onerror="globalThis.__xss = 1">',
];
const LINKS = [
  'javascript:globalThis.__xss = 1',
  'JaVaScRiPt:globalThis.__xss = 1',
  ' javascript:globalThis.__xss = 1',
  'java\nscript:globalThis.__xss = 1',
  'data:text/html,<script>opener.__xss = 1</script>',
  'vbscript:msgbox(1)',
  '//evil.example/',
  'https://evil.example/#/facts',
  'https://user:word@evil.example/',
  '../../../etc/passwd',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '#/settings',
  '?state=a&code=b',
  '[here](javascript:globalThis.__xss=1)',
  '![here](https://evil.example/pixel.gif)',
];
const TEMPLATES = [
  '{{constructor.constructor("globalThis.__xss = 1")()}}',
  '${globalThis.__xss = 1}',
  '#{globalThis.__xss = 1}',
  '<%= globalThis.__xss = 1 %>',
  '{{7*7}}',
  '${{7*7}}',
  '{% import os %}',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '{"__proto__": {"polluted": true}}',
];
const DATABASE = [
  "'; drop table fact; --",
  "' or '1'='1",
  '" or ""="',
  '1; select pg_sleep(10)',
  "\\'; copy fact to program 'id'; --",
  '$$; drop table fact; $$',
  '%',
  '_',
  '*',
  '\\',
];
const SPREADSHEETS = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '=HYPERLINK("https://evil.example/")',
  '=cmd|"/c calc"!A1',
  '\t=1+1',
];
const ENTITIES = [
  '&lt;script&gt;',
  '&amp;amp;',
  '&#x3c;b&#x3e;',
  '&#0;',
  '&NotEqualTilde;',
  '&nbsp;',
  '<![CDATA[x]]>',
  '<!-- x -->',
];
const EMPTY = [
  'null',
  'undefined',
  'NaN',
  'true',
  'false',
  '0',
  '-0',
  '[]',
  '{}',
  '""',
  "''",
  'None',
  'nil',
  '1e999',
  '[object Object]',
];
const DIRECTIONS = [
  '\u202Egnp.exe\u202C',
  '\u202Dabc\u202C',
  '\u2066\u2067abc\u2069\u2069',
  '\u200F\u200Eabc',
  'مرحبا <b>abc</b> שלום',
  'שלום עולם',
  '\u061Cabc',
];
const INVISIBLE = [
  'a\u200Bb',
  '\u200B\u200B\u200B',
  'a\u200Db',
  'a\uFEFFb',
  'a\u00ADb',
  '\u2060',
  'a\u2028b',
  'a\u2029b',
  '\u3164',
  '\u00A0',
];
const CONTROLS = ['a\tb', 'a\nb', 'a\r\nb', 'a\u0007b', 'a\u001B[31mb', 'a\u0008b', 'a\u007Fb', 'a\u0085b', 'a\u0000b'];
/** One letter, to a browser: it can be broken nowhere, and in some fonts each sign has a width. */
export const UNBREAKABLE = '\u0489'.repeat(50);
const COMBINING = [
  'Z\u0351\u036B\u0343\u036A\u0302\u036B\u033D\u034F\u0334\u0319\u0324\u031E\u0349\u035A\u032F\u031E\u0320\u034DA',
  `a${'\u0301'.repeat(200)}`,
  UNBREAKABLE,
  'e\u0301 é',
  'ﬁ ﷺ ㍿ ẞ İ ı',
  'นี้ กำ',
  '가 각',
];
const EMOJI = ['👨‍👩‍👧‍👦', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '👍🏿', '🇩🇪🇫🇷', '❤️‍🔥', '🧑🏽‍🚀'.repeat(40), '\u{1F3FF}', '\uFE0F', '𝕳𝖊𝖑𝖑𝖔', '\u{10FFFF}'];
/** Half of a pair of UTF-16, which is no text. */
const HALVES = ['\uD83D', '\uDE00', 'a\uD83Db'];
const LONG = [
  'x'.repeat(100_000),
  'word '.repeat(20_000),
  '<b>'.repeat(33_000),
  'x'.repeat(2_000),
  'x'.repeat(300),
  'W'.repeat(120),
  '\n'.repeat(500),
  'a-very-long-name-with-dashes-'.repeat(12),
  '🧨'.repeat(500),
  'ａ'.repeat(400),
];
const NAMES = [
  'CON',
  'C:\\Windows',
  '/dev/null',
  '~root',
  '.',
  '..',
  'a/b',
  'a:b',
  'a b',
  'a?b#c',
  'a%00b',
  'https://',
  '@everyone',
];

const ALL = [
  ...[SCRIPTS, LINKS, TEMPLATES, DATABASE, SPREADSHEETS, ENTITIES, EMPTY, DIRECTIONS, INVISIBLE, CONTROLS],
  ...[COMBINING, EMOJI, HALVES, LONG, NAMES],
];

const COUNT = 200;
const plain = ALL.flat();
/** Texts that an attacker, a careless program or an unlucky language puts where a screen shows them. */
export const HOSTILE_TEXTS: readonly string[] = [
  ...plain,
  // The same where markup is inside of what somebody might take for safe.
  ...SCRIPTS.map((text) => `harmless ${text} harmless`),
  ...LINKS.map((text) => `<a href="${text}">`),
].slice(0, COUNT);
