import type { ReactNode } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Details } from '../../components/Details.tsx';
import { Section } from '../../components/Page.tsx';
import { Answer } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listPlanes, readProject } from '../../generated/daemon/sdk.gen.ts';

/** What the project is and what it is linked with. */
export function ProjectLinks({ id }: { id: string }) {
  const project = useAnswer(['projects', 'one', id], () => readProject({ path: { id } }));
  const planes = useAnswer(['projects', 'planes', id], () => listPlanes({ path: { id }, query: { limit: 200 } }));
  return (
    <div className="stack">
      <Answer query={project} rows={6}>
        {(found) => (
          <>
            <Section title={found.name}>
              <Details
                items={[
                  [
                    'State',
                    <Badge key="state">{found.archived ? 'archived' : found.is_default ? 'default' : 'active'}</Badge>,
                  ],
                  ['Acts as', found.default_passport_id],
                  ['Planning target', found.planning_target],
                  ['Worked on in', found.working_tenants.join(', ')],
                  ['Version', found.version],
                  ['Created by', found.created_by],
                  ['Changed', <Time key="changed" at={found.updated_at} isExact />],
                ]}
              />
            </Section>
            <div className="columns">
              <Links title="Members" items={found.passports.map(({ passport_id, role }) => [passport_id, role])} />
              <Links
                title="Tenants"
                items={found.tenants.map(({ tenant_id, default_passport_id }) => [tenant_id, default_passport_id])}
              />
              <Links
                title="Repositories"
                items={found.repos.map(({ repo, plane_id, role }) => [
                  repo,
                  [plane_id && `plane ${plane_id}`, role].filter(Boolean).join(', '),
                ])}
              />
            </div>
          </>
        )}
      </Answer>
      <Answer query={planes}>
        {({ planes: found, has_more }) => (
          <Links
            title="Planes"
            items={found.map(({ id: plane, description }) => [plane, description])}
            more={has_more && <p className="quiet">There are more than 200; the route lists them all.</p>}
          />
        )}
      </Answer>
    </div>
  );
}

interface LinksProps {
  title: string;
  items: (readonly [name: string, remark: string | null])[];
  more?: ReactNode;
}

function Links({ title, items, more }: LinksProps) {
  return (
    <Section title={title}>
      {items.length === 0 ? (
        <p className="quiet">None.</p>
      ) : (
        <ul className="plain-list">
          {items.map(([name, remark]) => (
            <li key={`${name} ${remark}`}>
              <code>{name}</code> {remark && <span className="quiet">{remark}</span>}
            </li>
          ))}
        </ul>
      )}
      {more}
    </Section>
  );
}
