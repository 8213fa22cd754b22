import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { decoded } from '../../client/parameters.ts';
import { useAnswer, useChange } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Details } from '../../components/Details.tsx';
import { Identifier } from '../../components/Identifier.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { ReasonDialog } from '../../components/ReasonDialog.tsx';
import { Answer } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { announce } from '../../components/toasts.tsx';
import { readPassport, revokePassport } from '../../generated/daemon/sdk.gen.ts';

export default function PassportScreen() {
  const id = decoded(useParams<{ id: string }>().id);
  const query = useAnswer(['passports', 'one', id], () => readPassport({ path: { id } }));
  const passport = query.data?.passport;
  return (
    <Page
      title={id}
      description={<Link href="/passports">All passports</Link>}
      actions={passport && passport.revoked_at === null && <Revoke id={id} />}
    >
      <Answer query={query} rows={8}>
        {({ passport: shown }) => (
          <Section title={shown.display_name}>
            <Details
              items={[
                [
                  'State',
                  <Badge key="state" tone={shown.revoked_at ? 'bad' : 'good'}>
                    {shown.revoked_at ? 'revoked' : 'active'}
                  </Badge>,
                ],
                ['Kind', shown.kind],
                ['Key', shown.fingerprint ? <Identifier value={shown.fingerprint} /> : 'none'],
                ['Attested', shown.attested ? 'it proved that it has the key' : 'no'],
                ['Tenants', shown.tenants.join(', ')],
                ['Registered', <Time key="created" at={shown.created_at} isExact />],
                ['Registered by', shown.created_by],
                ['Last seen', <Time key="seen" at={shown.last_seen_at} />],
                ['Revoked', shown.revoked_at && <Time at={shown.revoked_at} isExact />],
                ['Revoked by', shown.revoked_by],
                ['Reason', shown.revoke_reason],
              ]}
            />
          </Section>
        )}
      </Answer>
    </Page>
  );
}

function Revoke({ id }: { id: string }) {
  const [isAsking, setAsking] = useState(false);
  const revoke = useChange(
    (reason: string | undefined) => revokePassport({ path: { id }, query: reason === undefined ? {} : { reason } }),
    ['passports', 'presence', 'overview', 'receipts', 'work', 'gates'],
  );
  return (
    <>
      <Button right="administer" look="danger" onPress={() => setAsking(true)}>
        Revoke
      </Button>
      <ReasonDialog
        name={`revoke passport ${id}`}
        title={`Revoke ${id}?`}
        confirm="Revoke for ever"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        isPending={revoke.isPending}
        failure={revoke.error}
        onConfirm={(reason, done) =>
          revoke.mutate(reason, {
            onSuccess: ({ ended }) => {
              done();
              announce(
                `${id} is revoked; with it ended ${ended.leases} leases, ${ended.gates} gates, ${ended.intents} ` +
                  `intents and ${ended.peers} peers.`,
              );
            },
          })
        }
      >
        <p>For ever. Its leases, punchcards and intents end at once, and every process refuses it within a second.</p>
      </ReasonDialog>
    </>
  );
}
