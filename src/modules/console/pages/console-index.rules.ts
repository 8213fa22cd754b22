/**
 * The page of the app as GET /console answers it. The build writes the addresses in it relative to the page itself
 * (`./assets/x.js`), and the address of the page has no slash at its end: `./` is the folder above. They become
 * `./console/assets/x.js`, which holds behind a proxy with a path of its own too. A `<base>` would do as well, but the
 * links of the app are fragments (`#/receipts`), and with a base they would lead to another page.
 */
export const atConsole = (html: string): string =>
  html.replace(/(\s(?:src|href)=)(["'])\.\/(?!console\/)/g, '$1$2./console/');

/** The coding to answer in, of those that Accept-Encoding takes (RFC 9110, 12.5.3): the smaller one first. */
export function codingFor(accepted: string | undefined): 'br' | 'gzip' | undefined {
  const taken = new Set((accepted ?? '').split(',').flatMap((text) => nameOf(text) ?? []));
  if (taken.has('br')) return 'br';
  return taken.has('gzip') ? 'gzip' : undefined;
}

/** `gzip` of `gzip;q=0.5`; undefined of one that the client does not want. */
function nameOf(text: string): string | undefined {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  return parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter)) ? undefined : name;
}

/**
 * The policy of the page: what it runs, shows and asks comes from this server alone.
 * @param issuer the identity provider that it may ask for tokens, too
 */
export const policyOf = (issuer: string | undefined): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    ["connect-src 'self'", ...(issuer === undefined ? [] : [new URL(issuer).origin])].join(' '),
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
