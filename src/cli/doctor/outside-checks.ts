import { readFile } from 'node:fs/promises';
import type { Settings } from '../../common/config/settings.js';
import { CosignedHeadsStore } from '../../common/evidence-log/cosigned-heads.store.js';
import { TimestampsStore } from '../../common/evidence-log/timestamps.store.js';
import type { Check } from '../../common/health/check.js';
import type { Query } from '../../common/tenancy/cross-tenant.js';
import { parseWitnessKey } from '../../evidence/cosignature.js';
import { parseCertificates } from '../../evidence/certificate-path.js';
import { findPeerLogs } from '../../modules/operations/readiness/evidence-checks.js';
import { Advice } from './examine.js';

/** That the witnesses of SVC_WITNESSES sign, and that none of them has seen another log than this one. */
export const witnessesCheck = ({ evidence }: Settings, ask: Query): Check => ({
  name: 'witnesses',
  remedy:
    'The database was set back or changed since the witness saw it, or its operator knows another log by this name: compare with the kept checkpoints. docs/operations.md, "Witnesses of the log".',
  run: async () => {
    if (evidence.witnesses.length === 0) return 'none are asked (SVC_WITNESSES)';
    const states = await new CosignedHeadsStore(ask).listStates();
    const asked = evidence.witnesses.map(({ verifierKey }) => ({
      name: parseWitnessKey(verifierKey).name,
      state: states.get(verifierKey),
    }));
    const describe = ({ name, state }: (typeof asked)[number]): string =>
      `${name}: ${state?.reason ?? `signed ${state?.signed_at?.toISOString() ?? 'nothing yet'}`}`;
    const disagreeing = asked.filter(({ state }) => state?.disagrees);
    if (disagreeing.length > 0) throw new Error(disagreeing.map(describe).join('; '));
    const failing = asked.filter(({ state }) => state?.failed_at);
    if (failing.length > 0)
      throw new Advice(
        failing.map(describe).join('; '),
        'See that the witness runs and knows this log and its key. Until it signs, files go without its line.',
      );
    return asked.map(describe).join('; ');
  },
});

/** That the logs of peers only grow, as the gate control_evidence_ok asks. */
export const peerLogsCheck = (ask: Query): Check => ({
  name: 'peer_logs',
  remedy:
    'Until they are cleared, nothing is exchanged with these peers, and the daemon is not ready: docs/peer-logs.md.',
  run: async () => {
    const fault = await findPeerLogs(ask);
    if (fault !== undefined) throw new Error(fault);
    return 'those that are watched are in order';
  },
});

/** That the authority of SVC_TSA_URL stamps checkpoints. */
export const timestampsCheck = ({ evidence }: Settings, ask: Query): Check => ({
  name: 'timestamps',
  remedy: 'Give SVC_TSA_CA_FILE the certificates of the authority in PEM form.',
  run: async () => {
    const { tsaUrl, tsaCaFile } = evidence;
    if (tsaUrl === undefined) return 'no authority is asked (SVC_TSA_URL)';
    if (tsaCaFile !== undefined) parseCertificates(await readFile(tsaCaFile, 'utf8'));
    const state = await new TimestampsStore(ask).findState(tsaUrl);
    const last = `the log was stamped last ${state?.stamped_at?.toISOString() ?? 'never'}`;
    if (state?.failed_at)
      throw new Advice(
        `${last}; since then ${new URL(tsaUrl).host} did not: ${state.reason}`,
        'See that the authority of SVC_TSA_URL answers, by SVC_TSA_POLICY and a certificate of SVC_TSA_CA_FILE. Until then files go with older timestamps or none.',
      );
    return last;
  },
});
