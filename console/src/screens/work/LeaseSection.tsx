import { useState } from 'react';
import { useChange } from '../../client/queries.ts';
import { ActingPassportField, useActingPassport } from '../../components/acting-passport.tsx';
import { Button } from '../../components/Button.tsx';
import { Details } from '../../components/Details.tsx';
import { Section } from '../../components/Page.tsx';
import { ReasonDialog } from '../../components/ReasonDialog.tsx';
import { Failure } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { announce } from '../../components/toasts.tsx';
import { claimWork, forceReleaseWork, releaseWork } from '../../generated/daemon/sdk.gen.ts';
import type { WorkItem, WorkLease } from '../../generated/daemon/types.gen.ts';

const CHANGED = ['work', 'receipts', 'overview'];

/** Who holds an item; claims it, gives it back, takes it from its holder. */
export function LeaseSection({ item }: { item: WorkItem }) {
  const { passport } = useActingPassport();
  const by = passport ? { by_passport: passport } : {};
  const path = { id: item.id };
  const claim = useChange(() => claimWork({ path, body: by }), CHANGED);
  const release = useChange(
    ({ fence }: WorkLease) => releaseWork({ path, headers: { 'x-svc-fence': fence }, body: { ...by, fence } }),
    CHANGED,
  );
  const { lease } = item;
  const failure = lease ? release.error : claim.error;
  return (
    <Section title="Lease">
      {lease ? <LeaseDetails {...lease} /> : <p className="quiet">Nobody holds it.</p>}
      <ActingPassportField hint="Who claims it, gives it back or takes it from its holder." />
      <div className="row">
        {lease ? (
          <Button
            right="write"
            onPress={() => release.mutate(lease, { onSuccess: () => announce('Given back.') })}
            isPending={release.isPending}
          >
            Release
          </Button>
        ) : (
          <Button
            right="write"
            look="primary"
            onPress={() => claim.mutate(undefined, { onSuccess: () => announce('Claimed.') })}
            isPending={claim.isPending}
          >
            Claim
          </Button>
        )}
        <ForceRelease id={item.id} holder={lease?.holder_passport} by={by} />
      </div>
      {failure && <Failure failure={failure} />}
    </Section>
  );
}

function LeaseDetails({ holder_passport, expires_at, fence }: WorkLease) {
  return (
    <Details
      items={[
        ['Holder', holder_passport],
        ['Ends', <Time at={expires_at} />],
        ['Fence', fence],
      ]}
    />
  );
}

/** It stays while nobody holds the item, so that it can say how it went. */
function ForceRelease({ id, holder, by }: { id: string; holder: string | undefined; by: { by_passport?: string } }) {
  const [isOpen, setOpen] = useState(false);
  const force = useChange(
    (reason: string | undefined = '') => forceReleaseWork({ path: { id }, body: { ...by, reason, confirm: true } }),
    CHANGED,
  );
  return (
    <>
      {holder && (
        <Button right="administer" look="danger" onPress={() => setOpen(true)}>
          Force release
        </Button>
      )}
      <ReasonDialog
        name={`force ${id}`}
        title={`Take it from ${holder ?? 'its holder'}`}
        confirm="Force release"
        isRequired
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        isPending={force.isPending}
        failure={force.error}
        onConfirm={(reason, done) =>
          force.mutate(reason, {
            onSuccess: () => {
              done();
              announce('Taken from its holder.');
            },
          })
        }
      >
        <p>Its holder&rsquo;s writes with the old fence are refused from then on. This cannot be undone.</p>
      </ReasonDialog>
    </>
  );
}
