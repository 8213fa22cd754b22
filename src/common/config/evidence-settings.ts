import {
  baseUrl,
  integer,
  logName,
  setting,
  signerAddress,
  objectIdentifier,
  text,
  url,
  witnesses,
} from './setting.js';

/** The evidence log, its keys, witnesses and looks. */
export const EVIDENCE_SETTINGS = {
  signingKeyFile: setting(
    'SVC_SIGNING_KEY_FILE',
    text(),
    'File of the Ed25519 private keys (PKCS#8 PEM) that sign receipts, checkpoints and exports, the same for every process of a database; `svc key create-signing FILE` makes one.',
    {
      names: 'file',
      shownDefault: 'generated and kept in `<data dir>/keys`',
      requiredInProduction: ({ SVC_SIGNER_URL: signer }) => !signer,
    },
  ),
  signerUrl: setting(
    'SVC_SIGNER_URL',
    signerAddress(),
    'A program that has the signing keys in place of a file, for a PKCS#11 token or a KMS: `unix:/path`, `https://...`, or `http://` on this machine. The protocol is in docs/formats/signer.md.',
  ),
  signerTokenFile: setting(
    'SVC_SIGNER_TOKEN_FILE',
    text(),
    'File of the bearer token that is sent to the signer; read for each request, so that it can be replaced.',
    { names: 'file' },
  ),
  signerTimeoutMs: setting(
    'SVC_SIGNER_TIMEOUT_MS',
    integer(2000, 50, 20_000),
    'How long the signer may take to answer, in milliseconds. What waits for it meanwhile keeps its transaction open.',
  ),
  logOrigin: setting(
    'SVC_LOG_ORIGIN',
    logName('svc.local/log'),
    'Name of the transparency log, without white space and `+`, fixed for its life. The origin line of its checkpoints is this name, `/` and the number of the epoch.',
  ),
  checkpointDir: setting(
    'SVC_CHECKPOINT_DIR',
    text(),
    'Where the last checkpoints of the log are kept, outside the database, so that one that was set back is noticed; best on another disk than the database.',
    { shownDefault: '`<data dir>/checkpoints`' },
  ),
  evidenceBase: setting(
    'SVC_EVIDENCE_BASE',
    baseUrl('https://svc.local'),
    'Whom statements name as their issuer; the in-toto predicate type of receipts is this with `/receipt/v1`. An address of your own, without a slash at its end.',
  ),
  logIntervalMs: setting(
    'SVC_LOG_INTERVAL_MS',
    integer(500, 50, 60_000),
    'Longest wait before new receipts are integrated into the log, in milliseconds.',
  ),
  witnesses: setting(
    'SVC_WITNESSES',
    witnesses(),
    'Witnesses that are asked to cosign the checkpoints of the log (C2SP tlog-witness), separated by commas: `<verifier key>@<address>`, with a verifier key of type cosignature/v1. Unset: none.',
  ),
  witnessKeyFile: setting(
    'SVC_WITNESS_KEY_FILE',
    text(),
    'File of the Ed25519 private key (PKCS#8 PEM) by which this server cosigns the logs of its peers, the same for every memory daemon of a database; `svc key create-witness FILE` makes one.',
    {
      shownDefault:
        'generated and kept in `<data dir>/keys`; with NODE_ENV=production or SVC_SIGNER_URL none, so that nothing is cosigned',
    },
  ),
  tsaUrl: setting(
    'SVC_TSA_URL',
    url('https', 'http'),
    'Time-stamping authority (RFC 3161) that is asked to stamp checkpoints of the log, so that packs and exports show when their records were there. Unset: none.',
  ),
  tsaCaFile: setting(
    'SVC_TSA_CA_FILE',
    text(),
    'PEM file of certificates of which one must lead to that of the authority. Unset: any certificate for time stamping is taken.',
    { names: 'file' },
  ),
  tsaPolicy: setting(
    'SVC_TSA_POLICY',
    objectIdentifier(),
    'Policy that the authority is asked to stamp by, an object identifier. Unset: its own.',
  ),
  tsaEverySec: setting(
    'SVC_TSA_EVERY_SEC',
    integer(3600, 1, 604_800),
    'Seconds between two timestamps of a log that grows, a tenth more or less.',
  ),
  lookHours: setting(
    'SVC_EVIDENCE_LOOK_HOURS',
    integer(24, 1, 720),
    'Hours within which the memory daemon looks at all of the evidence once; with them its rate of rows. Small databases are gone over much more often.',
  ),
};
