import { Link } from 'wouter';
import { useHasSession } from '../../client/identity.ts';
import { useAnswer } from '../../client/queries.ts';
import { useWhyNot } from '../../client/rights.ts';
import { Badge } from '../../components/Badge.tsx';
import { Details } from '../../components/Details.tsx';
import { Identifier } from '../../components/Identifier.tsx';
import { Json } from '../../components/Json.tsx';
import { NeedsSession } from '../../components/NeedsSession.tsx';
import { Answer } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { NoRight } from '../../components/WithRight.tsx';
import type { AccessRequest } from '../../generated/api/types.gen.ts';
import type { Candidate, GateResolution, MintRequest } from '../../generated/daemon/types.gen.ts';
import { CandidateDetail } from './CandidateDetail.tsx';
import { seenKey } from './decide.ts';
import { addressOf, deciderOf, KINDS, type ReviewItem } from './review-items.ts';
import { askItem, type SeenApproval } from './seen.ts';

/** All that a decision on an item rests on. */
export function ItemDetail({ item }: { item: ReviewItem }) {
  const hasSession = useHasSession();
  const isOfApi = item.decide.server === 'api';
  const why = useWhyNot(isOfApi && hasSession ? deciderOf(item) : undefined);
  const isEnabled = (!isOfApi || hasSession) && why === undefined;
  const seen = useAnswer(seenKey(item), () => askItem(item), { isEnabled });
  return (
    <>
      <h3>{item.title}</h3>
      <p className="row">
        <Badge>{KINDS[item.kind]}</Badge>
        <span className="quiet">
          asked for by {item.requested_by}, <Time at={item.waiting_since} />
        </span>
        {item.expires_at && (
          <span>
            expires <Time at={item.expires_at} />
          </span>
        )}
        <Link href={addressOf(item)}>Link</Link>
      </p>
      {isOfApi && !hasSession && <NeedsSession what="Its details, and the decision,">{null}</NeedsSession>}
      {why && <NoRight what="Its details, and the decision" why={why} />}
      {isEnabled && (
        <Answer query={seen} rows={5}>
          {(data) => <DetailOf item={item} data={data} />}
        </Answer>
      )}
    </>
  );
}

function DetailOf({ item: { kind }, data }: { item: ReviewItem; data: unknown }) {
  switch (kind) {
    case 'candidate':
      return <CandidateDetail candidate={data as Candidate} />;
    case 'gate':
      return <GateDetail {...(data as GateResolution)} />;
    case 'mint_request':
      return <MintRequestDetail {...(data as MintRequest)} />;
    case 'approval':
      return <ApprovalDetail {...(data as SeenApproval)} />;
    case 'access_request':
      return <AccessRequestDetail {...(data as AccessRequest)} />;
  }
}

function GateDetail({ work_id, project_id, before, after, why, requested_by, may_decide, action_id }: GateResolution) {
  return (
    <Details
      items={[
        ['Move', `${before.state} → ${after.state}`],
        ['Why', why],
        ['Work', <Link href={`/work/${encodeURIComponent(work_id)}`}>{work_id}</Link>],
        ['Project', project_id],
        ['Asked for by', requested_by],
        ['May decide', may_decide.length > 0 ? may_decide.join(', ') : 'everybody but who asked'],
        ['Action', <Identifier value={action_id} />],
      ]}
    />
  );
}

function MintRequestDetail({ passport_id, display_name, kind, fingerprint, attested, why, requested_by }: MintRequest) {
  return (
    <Details
      items={[
        ['Passport', <Identifier value={passport_id} />],
        ['Name', display_name],
        ['Kind', kind],
        ['Why', why],
        ['Fingerprint', fingerprint && <Identifier value={fingerprint} />],
        ['Key', attested ? <Badge tone="good">proved</Badge> : <Badge tone="warn">not proved</Badge>],
        ['Asked for by', requested_by],
      ]}
    />
  );
}

function ApprovalDetail({ approval, session }: SeenApproval) {
  const { principal, action, serverId, toolDigest, argumentsDigest, reason, spendCredits, expiresAt } = approval;
  return (
    <>
      <Details
        items={[
          ['Who', principal],
          ['Action', <code>{action}</code>],
          ['Why', reason],
          ['Server', serverId],
          ['Tool digest', toolDigest && <Identifier value={toolDigest} />],
          ['Arguments digest', <Identifier value={argumentsDigest} />],
          ['Spends', spendCredits === null ? null : `${spendCredits.toLocaleString()} credits`],
          ['Policy version', approval.policyVersion],
          ['Expires', <Time at={expiresAt} isExact />],
        ]}
      />
      {approval.arguments && <Json value={approval.arguments} label="Arguments" />}
      {session && (
        <>
          <h4>What your decision signs off</h4>
          <p className="text-body">{session.text}</p>
        </>
      )}
    </>
  );
}

function AccessRequestDetail(request: AccessRequest) {
  const { status, audience, requesterEmail, requesterName, companyName, requestedTenantId, useCase, notes } = request;
  return (
    <Details
      items={[
        ['State', status],
        ['E-mail', requesterEmail],
        ['Name', requesterName],
        ['Company', companyName],
        ['For', audience],
        ['Tenant asked for', requestedTenantId],
        ['Level asked for', request.requestedUserLevel],
        ['What for', useCase],
        ['Notes', notes],
        ['Allowed now', request.allowed.join(', ')],
      ]}
    />
  );
}
