create table access_request (
  tenant_id text not null,
  request_id uuid not null,
  status text not null default 'submitted'::text,
  audience text not null,
  requester_email text not null,
  requester_name text,
  company_name text,
  wanted_tenant_id text,
  default_agent_id text,
  api_key_provided boolean not null,
  wanted_tier text,
  use_case text,
  notes text,
  submitted_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  provisioned_tenant_id text,
  constraint access_request_pkey PRIMARY KEY (tenant_id, request_id),
  constraint access_request_audience_check CHECK ((audience = ANY (ARRAY['agent'::text, 'human'::text]))),
  constraint access_request_check CHECK (((status = 'provisioned'::text) = (provisioned_tenant_id IS NOT NULL))),
  constraint access_request_requester_email_check CHECK ((length(requester_email) <= 254)),
  constraint access_request_status_check CHECK ((status = ANY (ARRAY['submitted'::text, 'reviewing'::text, 'approved'::text, 'rejected'::text, 'provisioned'::text, 'spam'::text]))),
  constraint access_request_wanted_tier_check CHECK ((wanted_tier = ANY (ARRAY['free'::text, 'starter'::text, 'pro'::text, 'team'::text])))
);
alter table access_request enable row level security, force row level security;
create policy erased_rows on access_request for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on access_request for all to svc_operator using (true) with check (true);
create policy tenant_rows on access_request for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX access_request_email ON public.access_request USING btree (tenant_id, lower(requester_email));
grant delete, insert, select, update on access_request to svc_app;
grant delete, insert, select, update on access_request to svc_operator;

create table access_request_change (
  tenant_id text not null,
  request_id uuid not null,
  change_id bigint not null,
  from_status text not null,
  to_status text not null,
  changed_by text not null,
  changed_at timestamp with time zone not null default clock_timestamp(),
  reason text,
  constraint access_request_change_pkey PRIMARY KEY (tenant_id, request_id, change_id),
  constraint access_request_change_tenant_id_request_id_fkey FOREIGN KEY (tenant_id, request_id) REFERENCES access_request(tenant_id, request_id)
);
alter table access_request_change enable row level security, force row level security;
create policy erased_rows on access_request_change for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on access_request_change for all to svc_operator using (true) with check (true);
create policy tenant_rows on access_request_change for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant insert, select on access_request_change to svc_app;
grant insert, select on access_request_change to svc_operator;

create table agent (
  tenant_id text not null,
  agent_id uuid not null,
  token_hash bytea not null,
  framework text not null,
  display_name text,
  callback_url text,
  fingerprint text,
  registered_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  query_day date not null default ((now() AT TIME ZONE 'utc'::text))::date,
  day_queries integer not null default 0,
  sponsor_tenant_id text,
  sponsor_tier text,
  sponsored_at timestamp with time zone,
  sponsored_by text,
  ended_at timestamp with time zone,
  ended_by text,
  end_reason text,
  constraint agent_pkey PRIMARY KEY (tenant_id, agent_id),
  constraint agent_sponsor_tenant_id_fkey FOREIGN KEY (sponsor_tenant_id) REFERENCES tenant(tenant_id),
  constraint agent_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint agent_check CHECK ((num_nulls(sponsor_tenant_id, sponsor_tier, sponsored_at, sponsored_by) = ANY (ARRAY[0, 4]))),
  constraint agent_check1 CHECK (((ended_at IS NULL) = (ended_by IS NULL))),
  constraint agent_day_queries_check CHECK ((day_queries >= 0)),
  constraint agent_sponsor_tenant_id_check CHECK ((sponsor_tenant_id <> 'svc-discovery'::text)),
  constraint agent_sponsor_tier_check CHECK ((sponsor_tier = ANY (ARRAY['starter'::text, 'pro'::text, 'team'::text]))),
  constraint agent_tenant_id_check CHECK ((tenant_id = 'svc-discovery'::text)),
  constraint agent_token_hash_check CHECK ((length(token_hash) = 32))
);
alter table agent enable row level security, force row level security;
create policy erased_rows on agent for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on agent for all to svc_operator using (true) with check (true);
create policy sponsor_rows on agent for select to svc_app using ((sponsor_tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
create policy tenant_rows on agent for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX agent_sponsor ON public.agent USING btree (sponsor_tenant_id, sponsored_at, agent_id) WHERE (sponsor_tenant_id IS NOT NULL);
CREATE TRIGGER announce_change AFTER DELETE OR UPDATE OF sponsor_tenant_id, ended_at, expires_at ON public.agent FOR EACH ROW EXECUTE FUNCTION svc_announce_agent();
CREATE TRIGGER end_principal AFTER UPDATE OF ended_at ON public.agent FOR EACH ROW WHEN (((old.ended_at IS NULL) AND (new.ended_at IS NOT NULL))) EXECUTE FUNCTION svc_end_agent_principal();
grant delete, insert, select, update on agent to svc_app;
grant delete, insert, select, update on agent to svc_operator;

create table agent_activity (
  tenant_id text not null,
  agent_id text not null,
  last_active_at timestamp with time zone not null,
  kind text not null,
  constraint agent_activity_pkey PRIMARY KEY (tenant_id, agent_id),
  constraint agent_activity_agent_id_check CHECK (((length(agent_id) >= 1) AND (length(agent_id) <= 512))),
  constraint agent_activity_kind_check CHECK ((kind = ANY (ARRAY['retrieval'::text, 'answer'::text, 'journal'::text, 'watch'::text, 'proof'::text, 'credits'::text])))
);
alter table agent_activity enable row level security, force row level security;
create policy erased_rows on agent_activity for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy keeper_rows on agent_activity for all to svc_owner using (true) with check (true);
create policy operator_rows on agent_activity for all to svc_operator using (true) with check (true);
create policy tenant_rows on agent_activity for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX agent_activity_list ON public.agent_activity USING btree (tenant_id, last_active_at, agent_id);
grant select on agent_activity to svc_app;
grant select on agent_activity to svc_operator;

create table agent_home (
  tenant_id text not null,
  agent_id text not null,
  home_id uuid not null,
  journal_seq bigint not null default 0,
  created_at timestamp with time zone not null default now(),
  constraint agent_home_tenant_id_home_id_key UNIQUE (tenant_id, home_id),
  constraint agent_home_pkey PRIMARY KEY (tenant_id, agent_id),
  constraint agent_home_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint agent_home_agent_id_check CHECK (((length(agent_id) >= 1) AND (length(agent_id) <= 512)))
);
alter table agent_home enable row level security, force row level security;
create policy erased_rows on agent_home for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on agent_home for all to svc_operator using (true) with check (true);
create policy tenant_rows on agent_home for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE TRIGGER note_added AFTER INSERT ON public.agent_home REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION svc_note_activity('journal');
CREATE TRIGGER note_changed AFTER UPDATE ON public.agent_home REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION svc_note_activity('journal');
grant delete, insert, select, update on agent_home to svc_app;
grant delete, insert, select, update on agent_home to svc_operator;

create table agent_retrieval (
  tenant_id text not null,
  agent_id text not null,
  retrieval_id uuid not null,
  lane text not null,
  request jsonb not null,
  results jsonb not null,
  created_at timestamp with time zone not null,
  constraint agent_retrieval_pkey PRIMARY KEY (tenant_id, agent_id)
);
alter table agent_retrieval enable row level security, force row level security;
create policy erased_rows on agent_retrieval for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on agent_retrieval for all to svc_operator using (true) with check (true);
create policy tenant_rows on agent_retrieval for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE TRIGGER note_added AFTER INSERT ON public.agent_retrieval REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION svc_note_activity('retrieval');
CREATE TRIGGER note_changed AFTER UPDATE ON public.agent_retrieval REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION svc_note_activity('retrieval');
grant delete, insert, select, update on agent_retrieval to svc_app;
grant delete, insert, select, update on agent_retrieval to svc_operator;

create table answer (
  tenant_id text not null,
  answer_id text not null,
  version integer not null,
  agent_id text not null,
  answer_text text,
  metadata jsonb,
  retrieval jsonb,
  receipt_id uuid not null,
  recorded_by text not null,
  recorded_at timestamp with time zone not null default now(),
  constraint answer_pkey PRIMARY KEY (tenant_id, answer_id, version),
  constraint answer_version_check CHECK ((version > 0))
);
alter table answer enable row level security, force row level security;
create policy erased_rows on answer for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on answer for all to svc_operator using (true) with check (true);
create policy tenant_rows on answer for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX answer_agent ON public.answer USING btree (tenant_id, agent_id, recorded_at) WHERE (version > 1);
CREATE INDEX answer_project ON public.answer USING btree (tenant_id, ((metadata ->> 'project_id'::text))) WHERE ((metadata ->> 'project_id'::text) IS NOT NULL);
CREATE INDEX answer_retrieval ON public.answer USING btree (tenant_id, ((retrieval ->> 'retrievalId'::text))) WHERE (retrieval IS NOT NULL);
CREATE TRIGGER legal_hold BEFORE DELETE ON public.answer FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''answer:'' || r.answer_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.answer REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''answer:'' || r.answer_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.answer FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, answer_id, version, answer_text, metadata, retrieval ON public.answer FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.answer_id IS NOT NULL) AND (old.answer_id IS DISTINCT FROM new.answer_id)) OR ((old.version IS NOT NULL) AND (old.version IS DISTINCT FROM new.version)) OR ((old.answer_text IS NOT NULL) AND (old.answer_text IS DISTINCT FROM new.answer_text)) OR ((old.metadata IS NOT NULL) AND (old.metadata IS DISTINCT FROM new.metadata)) OR ((old.retrieval IS NOT NULL) AND (old.retrieval IS DISTINCT FROM new.retrieval)))) EXECUTE FUNCTION svc_keep_held('array[''answer:'' || r.answer_id]');
CREATE TRIGGER note_added AFTER INSERT ON public.answer REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION svc_note_activity('answer');
grant insert, select on answer to svc_app;
grant insert, select on answer to svc_operator;

create table api_key (
  tenant_id text not null,
  key_id uuid not null,
  prefix text not null,
  key_hash bytea not null,
  created_at timestamp with time zone not null default now(),
  revoked_at timestamp with time zone,
  label text,
  created_by text,
  expires_at timestamp with time zone,
  revoked_by text,
  revoke_reason text,
  lookup bytea not null,
  constraint api_key_tenant_id_lookup_key UNIQUE (tenant_id, lookup),
  constraint api_key_tenant_id_prefix_key UNIQUE (tenant_id, prefix),
  constraint api_key_pkey PRIMARY KEY (tenant_id, key_id),
  constraint api_key_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint api_key_label_check CHECK (((length(label) >= 1) AND (length(label) <= 120))),
  constraint api_key_not_discovery CHECK ((tenant_id <> 'svc-discovery'::text))
);
alter table api_key enable row level security, force row level security;
create policy erased_rows on api_key for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on api_key for all to svc_operator using (true) with check (true);
create policy tenant_rows on api_key for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX api_key_lookup ON public.api_key USING btree (lookup) WHERE (revoked_at IS NULL);
CREATE TRIGGER announce_revocation AFTER DELETE OR UPDATE OF revoked_at ON public.api_key FOR EACH ROW EXECUTE FUNCTION svc_announce_key();
CREATE TRIGGER end_principal AFTER UPDATE OF revoked_at ON public.api_key FOR EACH ROW WHEN (((old.revoked_at IS NULL) AND (new.revoked_at IS NOT NULL))) EXECUTE FUNCTION svc_end_key();
CREATE TRIGGER set_lookup BEFORE INSERT OR UPDATE OF key_hash ON public.api_key FOR EACH ROW EXECUTE FUNCTION svc_set_key_lookup();
grant delete, insert, select, update on api_key to svc_app;
grant delete, insert, select, update on api_key to svc_operator;

create table blast_radius (
  tenant_id text not null,
  radius_id uuid not null,
  incident_id uuid not null,
  root_kind text not null,
  root_key text[] not null,
  node_count integer not null,
  edge_count integer not null,
  counts json not null,
  state_root bytea not null,
  state_root_after bytea,
  walked_by text not null,
  walked_at timestamp with time zone not null default now(),
  applied_by text,
  applied_at timestamp with time zone,
  undone_by text,
  undone_at timestamp with time zone,
  constraint blast_radius_pkey PRIMARY KEY (tenant_id, radius_id),
  constraint blast_radius_tenant_id_incident_id_fkey FOREIGN KEY (tenant_id, incident_id) REFERENCES incident(tenant_id, incident_id)
);
alter table blast_radius enable row level security, force row level security;
create policy erased_rows on blast_radius for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on blast_radius for all to svc_operator using (true) with check (true);
create policy tenant_rows on blast_radius for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX blast_radius_incident ON public.blast_radius USING btree (tenant_id, incident_id, radius_id);
grant insert, select, update on blast_radius to svc_app;
grant insert, select, update on blast_radius to svc_operator;

create table blast_radius_edge (
  tenant_id text not null,
  radius_id uuid not null,
  "position" integer not null,
  from_position integer not null,
  edge text not null,
  to_position integer not null,
  constraint blast_radius_edge_pkey PRIMARY KEY (tenant_id, radius_id, "position"),
  constraint blast_radius_edge_tenant_id_radius_id_fkey FOREIGN KEY (tenant_id, radius_id) REFERENCES blast_radius(tenant_id, radius_id)
);
alter table blast_radius_edge enable row level security, force row level security;
create policy erased_rows on blast_radius_edge for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on blast_radius_edge for all to svc_operator using (true) with check (true);
create policy tenant_rows on blast_radius_edge for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant insert, select on blast_radius_edge to svc_app;
grant insert, select on blast_radius_edge to svc_operator;

create table blast_radius_node (
  tenant_id text not null,
  radius_id uuid not null,
  "position" integer not null,
  kind text not null,
  key text[] not null,
  depth integer,
  via_edge text,
  via_position integer,
  set_aside boolean not null default false,
  constraint blast_radius_node_pkey PRIMARY KEY (tenant_id, radius_id, "position"),
  constraint blast_radius_node_tenant_id_radius_id_fkey FOREIGN KEY (tenant_id, radius_id) REFERENCES blast_radius(tenant_id, radius_id)
);
alter table blast_radius_node enable row level security, force row level security;
create policy erased_rows on blast_radius_node for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on blast_radius_node for all to svc_operator using (true) with check (true);
create policy tenant_rows on blast_radius_node for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX blast_radius_node_aside ON public.blast_radius_node USING hash (key) WHERE set_aside;
CREATE INDEX blast_radius_node_kind ON public.blast_radius_node USING btree (tenant_id, radius_id, kind, "position");
grant insert, select, update on blast_radius_node to svc_app;
grant insert, select, update on blast_radius_node to svc_operator;

create table bundle (
  tenant_id text not null,
  bundle_id uuid not null,
  title text not null,
  description text not null,
  corpora text[] not null,
  price_credits bigint not null,
  status text not null default 'published'::text,
  published_by text not null,
  published_at timestamp with time zone not null default now(),
  changed_by text not null,
  changed_at timestamp with time zone not null default now(),
  withdrawn_reason text,
  constraint bundle_pkey PRIMARY KEY (tenant_id, bundle_id),
  constraint bundle_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint bundle_corpora_check CHECK (((cardinality(corpora) >= 1) AND (cardinality(corpora) <= 100))),
  constraint bundle_price_credits_check CHECK ((price_credits >= 0)),
  constraint bundle_status_check CHECK ((status = ANY (ARRAY['published'::text, 'withdrawn'::text])))
);
alter table bundle enable row level security, force row level security;
create policy erased_rows on bundle for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on bundle for all to svc_operator using (true) with check (true);
create policy shared_rows on bundle for select to svc_app using (((NULLIF(current_setting('svc.tenant_id'::text, true), ''::text) IS NOT NULL) AND (status = 'published'::text) AND (EXISTS ( SELECT
   FROM registered_tenant r
  WHERE (r.name = bundle.tenant_id)))));
create policy tenant_rows on bundle for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX bundle_by_id ON public.bundle USING btree (bundle_id);
CREATE INDEX bundle_catalogue ON public.bundle USING btree (published_at, bundle_id) WHERE (status = 'published'::text);
grant insert, select, update on bundle to svc_app;
grant delete, insert, select, update on bundle to svc_operator;

create table bundle_purchase (
  tenant_id text not null,
  purchase_id uuid not null,
  publisher_tenant_id text not null,
  bundle_id uuid not null,
  agent_id text not null,
  corpora text[] not null,
  price_credits bigint not null,
  purchased_by text not null,
  purchased_at timestamp with time zone not null default now(),
  constraint bundle_purchase_tenant_id_publisher_tenant_id_bundle_id_key UNIQUE (tenant_id, publisher_tenant_id, bundle_id),
  constraint bundle_purchase_pkey PRIMARY KEY (tenant_id, purchase_id),
  constraint bundle_purchase_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint bundle_purchase_price_credits_check CHECK ((price_credits >= 0))
);
alter table bundle_purchase enable row level security, force row level security;
create policy erased_rows on bundle_purchase for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on bundle_purchase for all to svc_operator using (true) with check (true);
create policy sales on bundle_purchase for select to svc_app using (((publisher_tenant_id = NULLIF(current_setting('svc.counted_publisher'::text, true), ''::text)) AND (publisher_tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))));
create policy tenant_rows on bundle_purchase for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX bundle_purchase_sales ON public.bundle_purchase USING btree (publisher_tenant_id, bundle_id);
grant insert, select on bundle_purchase to svc_app;
grant insert, select on bundle_purchase to svc_operator;

create table candidate (
  tenant_id text not null,
  candidate_id uuid not null,
  extraction_id uuid,
  action text not null default 'store'::text,
  entity text not null,
  key text not null,
  value text not null,
  confidence real not null,
  profile text not null,
  extractor json not null,
  status text not null default 'pending'::text,
  resolution text not null,
  evidence json not null,
  duplicate_of uuid,
  conflicts_with uuid[] not null default '{}'::uuid[],
  screened json not null default '[]'::json,
  holds_secret boolean not null default false,
  content_digest bytea not null,
  name_digest bytea not null,
  session_id text,
  session_date date,
  promoted_fact_id uuid,
  superseded_fact_id uuid,
  target_fact_id uuid,
  version integer not null default 1,
  receipt_id uuid not null,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  decided_by text,
  decided_at timestamp with time zone,
  reviewer text,
  reason text,
  undone_at timestamp with time zone,
  seq bigint not null,
  constraint candidate_pkey PRIMARY KEY (tenant_id, candidate_id),
  constraint candidate_action_check CHECK ((action = ANY (ARRAY['store'::text, 'retire'::text]))),
  constraint candidate_resolution_check CHECK ((resolution = ANY (ARRAY['new'::text, 'duplicate'::text, 'conflict'::text]))),
  constraint candidate_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'promoted'::text, 'rejected'::text, 'superseded'::text, 'expired'::text]))),
  constraint candidate_version_check CHECK ((version > 0))
);
alter table candidate enable row level security, force row level security;
create policy erased_rows on candidate for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on candidate for all to svc_operator using (true) with check (true);
create policy tenant_rows on candidate for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX candidate_age ON public.candidate USING btree (created_at) WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX candidate_content ON public.candidate USING btree (tenant_id, content_digest) WHERE (status = 'pending'::text);
CREATE INDEX candidate_extraction ON public.candidate USING btree (tenant_id, extraction_id);
CREATE INDEX candidate_list ON public.candidate USING btree (tenant_id, status, candidate_id);
CREATE INDEX candidate_name ON public.candidate USING btree (tenant_id, name_digest) WHERE (status = 'pending'::text);
CREATE INDEX candidate_seq ON public.candidate USING btree (tenant_id, seq);
CREATE UNIQUE INDEX candidate_target ON public.candidate USING btree (tenant_id, target_fact_id, profile);
CREATE TRIGGER drop_vectors AFTER DELETE ON public.candidate REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION svc_drop_vectors('candidate', 'candidate_id');
CREATE TRIGGER legal_hold BEFORE DELETE ON public.candidate FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[r.entity]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.candidate REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[r.entity]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.candidate FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, candidate_id, evidence ON public.candidate FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.candidate_id IS NOT NULL) AND (old.candidate_id IS DISTINCT FROM new.candidate_id)) OR ((old.evidence IS NOT NULL) AND ((old.evidence)::text IS DISTINCT FROM (new.evidence)::text)))) EXECUTE FUNCTION svc_keep_held('array[r.entity]');
CREATE TRIGGER number_row BEFORE INSERT OR UPDATE OF entity, key, value, status ON public.candidate FOR EACH ROW EXECUTE FUNCTION svc_number_row('candidate_number');
grant insert, select, update on candidate to svc_app;
grant insert, select, update on candidate to svc_operator;

create table capability_audit (
  tenant_id text not null,
  capability_id text collate "C" not null,
  version integer not null,
  status text not null,
  auditor text not null,
  notes text,
  screened json not null default '[]'::json,
  receipt_id uuid not null,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  constraint capability_audit_pkey PRIMARY KEY (tenant_id, capability_id, version),
  constraint capability_audit_status_check CHECK ((status = ANY (ARRAY['unaudited'::text, 'passed'::text, 'failed'::text, 'waived'::text]))),
  constraint capability_audit_version_check CHECK ((version > 0))
);
alter table capability_audit enable row level security, force row level security;
create policy erased_rows on capability_audit for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on capability_audit for all to svc_operator using (true) with check (true);
create policy tenant_rows on capability_audit for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant insert, select on capability_audit to svc_app;
grant insert, select on capability_audit to svc_operator;

create table chunk (
  tenant_id text not null,
  chunk_id text not null,
  corpus_id text not null,
  doc_id text not null,
  version integer not null,
  ordinal integer not null,
  start_offset integer not null,
  end_offset integer not null,
  heading_path text[] not null,
  title text,
  url text,
  content text not null,
  content_hash bytea not null,
  shareability text not null,
  language text not null,
  day integer not null,
  retired_at timestamp with time zone,
  location jsonb,
  constraint chunk_pkey PRIMARY KEY (tenant_id, chunk_id),
  constraint chunk_content_hash_check CHECK ((length(content_hash) = 32))
);
alter table chunk enable row level security, force row level security;
create policy erased_rows on chunk for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on chunk for all to svc_operator using (true) with check (true);
create policy shared_rows on chunk for select to svc_app using (((retired_at IS NULL) AND (NULLIF(current_setting('svc.tenant_id'::text, true), ''::text) IS NOT NULL) AND ((shareability = 'public_safe'::text) OR ((shareability = 'entitled_only'::text) AND (EXISTS ( SELECT
   FROM entitlement e
  WHERE ((e.publisher_tenant_id = chunk.tenant_id) AND (e.corpus_id = chunk.corpus_id)))))) AND (EXISTS ( SELECT
   FROM registered_tenant r
  WHERE (r.name = chunk.tenant_id)))));
create policy tenant_rows on chunk for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX chunk_by_document ON public.chunk USING btree (tenant_id, corpus_id, doc_id, version, ordinal);
CREATE INDEX chunk_by_id ON public.chunk USING btree (chunk_id);
CREATE TRIGGER legal_hold BEFORE DELETE ON public.chunk FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''document:'' || r.corpus_id || ''/'' || r.doc_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.chunk REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''document:'' || r.corpus_id || ''/'' || r.doc_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.chunk FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, chunk_id, start_offset, end_offset, heading_path, content, content_hash ON public.chunk FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.chunk_id IS NOT NULL) AND (old.chunk_id IS DISTINCT FROM new.chunk_id)) OR ((old.start_offset IS NOT NULL) AND (old.start_offset IS DISTINCT FROM new.start_offset)) OR ((old.end_offset IS NOT NULL) AND (old.end_offset IS DISTINCT FROM new.end_offset)) OR ((old.heading_path IS NOT NULL) AND (old.heading_path IS DISTINCT FROM new.heading_path)) OR ((old.content IS NOT NULL) AND (old.content IS DISTINCT FROM new.content)) OR ((old.content_hash IS NOT NULL) AND (old.content_hash IS DISTINCT FROM new.content_hash)))) EXECUTE FUNCTION svc_keep_held('array[''document:'' || r.corpus_id || ''/'' || r.doc_id]');
grant delete, insert, select, update on chunk to svc_app;
grant delete, insert, select, update on chunk to svc_operator;

create table chunk_vector (
  tenant_id text not null,
  chunk_id text not null,
  model text not null,
  shard_id uuid not null,
  generation bigint not null,
  vector bytea not null,
  constraint chunk_vector_pkey PRIMARY KEY (tenant_id, chunk_id, model)
);
alter table chunk_vector enable row level security, force row level security;
create policy erased_rows on chunk_vector for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on chunk_vector for all to svc_operator using (true) with check (true);
create policy shared_rows on chunk_vector for select to svc_app using ((EXISTS ( SELECT
   FROM index_shard s
  WHERE ((s.tenant_id = chunk_vector.tenant_id) AND (s.shard_id = chunk_vector.shard_id)))));
create policy tenant_rows on chunk_vector for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX chunk_vector_shard ON public.chunk_vector USING btree (tenant_id, shard_id, generation);
grant delete, insert, select, update on chunk_vector to svc_app;
grant delete, insert, select, update on chunk_vector to svc_operator;

create table citation (
  tenant_id text not null,
  answer_id text not null,
  version integer not null,
  ordinal integer not null,
  chunk_id text not null,
  owner_tenant_id text not null,
  corpus_id text not null,
  doc_id text not null,
  doc_version integer not null,
  title text,
  url text,
  content text not null,
  content_hash bytea not null,
  start_offset integer,
  end_offset integer,
  quote text,
  note text,
  shareability text,
  location jsonb,
  constraint citation_pkey PRIMARY KEY (tenant_id, answer_id, version, ordinal),
  constraint citation_tenant_id_answer_id_version_fkey FOREIGN KEY (tenant_id, answer_id, version) REFERENCES answer(tenant_id, answer_id, version),
  constraint citation_shareability_check CHECK ((shareability = ANY (ARRAY['owner_only'::text, 'entitled_only'::text, 'public_safe'::text])))
);
alter table citation enable row level security, force row level security;
create policy erased_rows on citation for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on citation for all to svc_operator using (true) with check (true);
create policy tenant_rows on citation for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX citation_chunk ON public.citation USING btree (tenant_id, chunk_id);
CREATE TRIGGER legal_hold BEFORE DELETE ON public.citation FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''answer:'' || r.answer_id, ''document:'' || r.corpus_id || ''/'' || r.doc_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.citation REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''answer:'' || r.answer_id, ''document:'' || r.corpus_id || ''/'' || r.doc_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.citation FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, answer_id, version, ordinal, content, content_hash, quote, note ON public.citation FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.answer_id IS NOT NULL) AND (old.answer_id IS DISTINCT FROM new.answer_id)) OR ((old.version IS NOT NULL) AND (old.version IS DISTINCT FROM new.version)) OR ((old.ordinal IS NOT NULL) AND (old.ordinal IS DISTINCT FROM new.ordinal)) OR ((old.content IS NOT NULL) AND (old.content IS DISTINCT FROM new.content)) OR ((old.content_hash IS NOT NULL) AND (old.content_hash IS DISTINCT FROM new.content_hash)) OR ((old.quote IS NOT NULL) AND (old.quote IS DISTINCT FROM new.quote)) OR ((old.note IS NOT NULL) AND (old.note IS DISTINCT FROM new.note)))) EXECUTE FUNCTION svc_keep_held('array[''answer:'' || r.answer_id, ''document:'' || r.corpus_id || ''/'' || r.doc_id]');
grant insert, select on citation to svc_app;
grant insert, select on citation to svc_operator;

create table conversion (
  tenant_id text not null,
  conversion_id uuid not null,
  agent_id text not null,
  tier text not null,
  month date not null,
  credits bigint not null,
  pence bigint not null,
  state text not null default 'pending'::text,
  transfer_id uuid not null,
  requested_by text not null,
  requested_at timestamp with time zone not null default now(),
  expected_at timestamp with time zone not null,
  settled_at timestamp with time zone,
  failure_reason text,
  constraint conversion_pkey PRIMARY KEY (tenant_id, conversion_id),
  constraint conversion_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint conversion_tenant_id_transfer_id_fkey FOREIGN KEY (tenant_id, transfer_id) REFERENCES ledger_transfer(tenant_id, transfer_id),
  constraint conversion_check CHECK (((state = 'pending'::text) = (settled_at IS NULL))),
  constraint conversion_credits_check CHECK ((credits > 0)),
  constraint conversion_pence_check CHECK ((pence > 0)),
  constraint conversion_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'applied'::text, 'failed'::text])))
);
alter table conversion enable row level security, force row level security;
create policy erased_rows on conversion for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on conversion for all to svc_operator using (true) with check (true);
create policy tenant_rows on conversion for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX conversion_agent ON public.conversion USING btree (tenant_id, agent_id, requested_at, conversion_id);
CREATE INDEX conversion_by_id ON public.conversion USING btree (conversion_id);
CREATE INDEX conversion_month ON public.conversion USING btree (tenant_id, month);
CREATE INDEX conversion_state ON public.conversion USING btree (state, requested_at, conversion_id);
CREATE TRIGGER keep_settlement BEFORE UPDATE ON public.conversion FOR EACH ROW WHEN ((old.state <> 'pending'::text)) EXECUTE FUNCTION svc_keep_settlement();
grant insert, select, update on conversion to svc_app;
grant insert, select, update on conversion to svc_operator;

create table conversion_event (
  tenant_id text not null,
  conversion_id uuid not null,
  event_id text not null,
  type text not null,
  outcome text not null,
  happened_at timestamp with time zone not null,
  received_at timestamp with time zone not null default now(),
  constraint conversion_event_pkey PRIMARY KEY (tenant_id, conversion_id, event_id),
  constraint conversion_event_tenant_id_conversion_id_fkey FOREIGN KEY (tenant_id, conversion_id) REFERENCES conversion(tenant_id, conversion_id),
  constraint conversion_event_outcome_check CHECK ((outcome = ANY (ARRAY['settled'::text, 'ignored'::text])))
);
alter table conversion_event enable row level security, force row level security;
create policy erased_rows on conversion_event for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on conversion_event for all to svc_operator using (true) with check (true);
create policy tenant_rows on conversion_event for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant insert, select on conversion_event to svc_app;
grant insert, select on conversion_event to svc_operator;

create table coord_intent (
  tenant_id text not null,
  session_id text collate "C" not null,
  intent_id uuid not null,
  project_id text not null,
  by_passport text,
  execplan_slug text,
  milestone text,
  deploy_target text,
  paths text[] not null default '{}'::text[],
  note text,
  announced_by text not null,
  since timestamp with time zone not null default now(),
  announced_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint coord_intent_pkey PRIMARY KEY (tenant_id, session_id)
);
alter table coord_intent enable row level security, force row level security;
create policy erased_rows on coord_intent for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on coord_intent for all to svc_operator using (true) with check (true);
create policy tenant_rows on coord_intent for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX coord_intent_expiry ON public.coord_intent USING btree (expires_at);
CREATE INDEX coord_intent_project ON public.coord_intent USING btree (tenant_id, project_id, session_id);
grant delete, insert, select, update on coord_intent to svc_app;
grant delete, insert, select, update on coord_intent to svc_operator;

create table corpus (
  tenant_id text not null,
  corpus_id text not null,
  language text not null default 'english'::text,
  created_at timestamp with time zone not null default now(),
  constraint corpus_pkey PRIMARY KEY (tenant_id, corpus_id),
  constraint corpus_corpus_id_check CHECK (((length(corpus_id) >= 1) AND (length(corpus_id) <= 512)))
);
alter table corpus enable row level security, force row level security;
create policy erased_rows on corpus for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on corpus for all to svc_operator using (true) with check (true);
create policy tenant_rows on corpus for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on corpus to svc_app;
grant delete, insert, select, update on corpus to svc_operator;

create table corruption_finding (
  finding_id bigint not null,
  source text not null,
  subject text not null,
  detail text not null,
  found_at timestamp with time zone not null default now(),
  cleared_at timestamp with time zone,
  seen_at timestamp with time zone not null default now(),
  constraint corruption_finding_pkey PRIMARY KEY (finding_id)
);
CREATE UNIQUE INDEX corruption_finding_open ON public.corruption_finding USING btree (source, subject) WHERE (cleared_at IS NULL);
grant insert, select, update on corruption_finding to svc_operator;

create table credit_spending (
  tenant_id text not null,
  reference text collate "C" not null,
  transfer_id uuid not null,
  agent_id text not null,
  credits bigint not null,
  note_digest bytea,
  own_after bigint not null,
  allowance_after bigint not null,
  earnings_after bigint not null,
  receipt_id uuid not null,
  spent_at timestamp with time zone not null,
  note_salt bytea,
  constraint credit_spending_pkey PRIMARY KEY (tenant_id, reference),
  constraint credit_spending_tenant_id_transfer_id_fkey FOREIGN KEY (tenant_id, transfer_id) REFERENCES ledger_transfer(tenant_id, transfer_id),
  constraint credit_spending_allowance_after_check CHECK ((allowance_after >= 0)),
  constraint credit_spending_credits_check CHECK ((credits > 0)),
  constraint credit_spending_earnings_after_check CHECK ((earnings_after >= 0)),
  constraint credit_spending_note_digest_check CHECK ((length(note_digest) = 32)),
  constraint credit_spending_note_salt_check CHECK ((length(note_salt) = 16)),
  constraint credit_spending_own_after_check CHECK ((own_after >= 0))
);
alter table credit_spending enable row level security, force row level security;
create policy erased_rows on credit_spending for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on credit_spending for all to svc_operator using (true) with check (true);
create policy tenant_rows on credit_spending for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant insert, select on credit_spending to svc_app;
grant delete, select on credit_spending to svc_operator;

create table document (
  tenant_id text not null,
  corpus_id text not null,
  doc_id text not null,
  latest_version integer not null default 0,
  latest_digest bytea,
  current_version integer,
  withdrawn_version integer not null default 0,
  shareability text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  quarantined_version integer,
  chunk_count integer,
  constraint document_pkey PRIMARY KEY (tenant_id, corpus_id, doc_id),
  constraint document_tenant_id_corpus_id_fkey FOREIGN KEY (tenant_id, corpus_id) REFERENCES corpus(tenant_id, corpus_id),
  constraint document_doc_id_check CHECK (((length(doc_id) >= 1) AND (length(doc_id) <= 512)))
);
alter table document enable row level security, force row level security;
create policy erased_rows on document for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on document for all to svc_operator using (true) with check (true);
create policy tenant_rows on document for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX document_by_update ON public.document USING btree (tenant_id, updated_at, corpus_id, doc_id) WHERE (current_version IS NOT NULL);
CREATE TRIGGER legal_hold BEFORE DELETE ON public.document FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''document:'' || r.corpus_id || ''/'' || r.doc_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.document REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''document:'' || r.corpus_id || ''/'' || r.doc_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.document FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, corpus_id, doc_id, deleted_at ON public.document FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.corpus_id IS NOT NULL) AND (old.corpus_id IS DISTINCT FROM new.corpus_id)) OR ((old.doc_id IS NOT NULL) AND (old.doc_id IS DISTINCT FROM new.doc_id)) OR ((old.deleted_at IS NULL) AND (new.deleted_at > '-infinity'::timestamp with time zone)))) EXECUTE FUNCTION svc_keep_held('array[''document:'' || r.corpus_id || ''/'' || r.doc_id]');
grant delete, insert, select, update on document to svc_app;
grant delete, insert, select, update on document to svc_operator;

create table document_version (
  tenant_id text not null,
  corpus_id text not null,
  doc_id text not null,
  version integer not null,
  title text not null,
  url text,
  content text not null,
  content_hash bytea not null,
  shareability text not null,
  metadata jsonb,
  source_suggestion_id uuid,
  accepted_by text not null,
  accepted_at timestamp with time zone not null default now(),
  chunk_count integer,
  indexed_at timestamp with time zone,
  retired_at timestamp with time zone,
  semantic_profile text not null default 'default'::text,
  locations jsonb,
  constraint document_version_pkey PRIMARY KEY (tenant_id, corpus_id, doc_id, version),
  constraint document_version_tenant_id_corpus_id_doc_id_fkey FOREIGN KEY (tenant_id, corpus_id, doc_id) REFERENCES document(tenant_id, corpus_id, doc_id),
  constraint document_version_semantic_profile_check CHECK ((semantic_profile = ANY (ARRAY['default'::text, 'lexical'::text, 'hybrid'::text]))),
  constraint document_version_shareability_check CHECK ((shareability = ANY (ARRAY['owner_only'::text, 'entitled_only'::text, 'public_safe'::text])))
);
alter table document_version enable row level security, force row level security;
create policy erased_rows on document_version for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on document_version for all to svc_operator using (true) with check (true);
create policy tenant_rows on document_version for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE TRIGGER legal_hold BEFORE DELETE ON public.document_version FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''document:'' || r.corpus_id || ''/'' || r.doc_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.document_version REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''document:'' || r.corpus_id || ''/'' || r.doc_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.document_version FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, corpus_id, doc_id, version, title, url, content, content_hash, metadata ON public.document_version FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.corpus_id IS NOT NULL) AND (old.corpus_id IS DISTINCT FROM new.corpus_id)) OR ((old.doc_id IS NOT NULL) AND (old.doc_id IS DISTINCT FROM new.doc_id)) OR ((old.version IS NOT NULL) AND (old.version IS DISTINCT FROM new.version)) OR ((old.title IS NOT NULL) AND (old.title IS DISTINCT FROM new.title)) OR ((old.url IS NOT NULL) AND (old.url IS DISTINCT FROM new.url)) OR ((old.content IS NOT NULL) AND (old.content IS DISTINCT FROM new.content)) OR ((old.content_hash IS NOT NULL) AND (old.content_hash IS DISTINCT FROM new.content_hash)) OR ((old.metadata IS NOT NULL) AND (old.metadata IS DISTINCT FROM new.metadata)))) EXECUTE FUNCTION svc_keep_held('array[''document:'' || r.corpus_id || ''/'' || r.doc_id]');
grant delete, insert, select, update on document_version to svc_app;
grant delete, insert, select, update on document_version to svc_operator;

create table dossier (
  tenant_id text not null,
  project_id text collate "C" not null,
  dossier_id text collate "C" not null,
  agent_passport text collate "C" not null,
  generated_at_unix_ms bigint not null,
  origin text not null,
  based_on json not null,
  claims json not null,
  uncertainties json not null,
  contradictions json not null,
  open_questions json not null,
  content_hash text not null,
  receipt_id uuid not null,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  constraint dossier_pkey PRIMARY KEY (tenant_id, project_id, dossier_id),
  constraint dossier_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES project(tenant_id, project_id),
  constraint dossier_origin_check CHECK ((origin = ANY (ARRAY['published'::text, 'auto'::text])))
);
alter table dossier enable row level security, force row level security;
create policy erased_rows on dossier for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on dossier for all to svc_operator using (true) with check (true);
create policy tenant_rows on dossier for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX dossier_agent ON public.dossier USING btree (tenant_id, project_id, agent_passport, created_at, dossier_id);
CREATE INDEX dossier_list ON public.dossier USING btree (tenant_id, project_id, created_at, dossier_id);
CREATE TRIGGER legal_hold BEFORE DELETE ON public.dossier FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''project:'' || r.project_id, ''dossier:'' || r.dossier_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.dossier REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''project:'' || r.project_id, ''dossier:'' || r.dossier_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.dossier FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, project_id, dossier_id, claims, uncertainties, contradictions, open_questions ON public.dossier FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.project_id IS NOT NULL) AND (old.project_id IS DISTINCT FROM new.project_id)) OR ((old.dossier_id IS NOT NULL) AND (old.dossier_id IS DISTINCT FROM new.dossier_id)) OR ((old.claims IS NOT NULL) AND ((old.claims)::text IS DISTINCT FROM (new.claims)::text)) OR ((old.uncertainties IS NOT NULL) AND ((old.uncertainties)::text IS DISTINCT FROM (new.uncertainties)::text)) OR ((old.contradictions IS NOT NULL) AND ((old.contradictions)::text IS DISTINCT FROM (new.contradictions)::text)) OR ((old.open_questions IS NOT NULL) AND ((old.open_questions)::text IS DISTINCT FROM (new.open_questions)::text)))) EXECUTE FUNCTION svc_keep_held('array[''project:'' || r.project_id, ''dossier:'' || r.dossier_id]');
grant insert, select on dossier to svc_app;
grant insert, select on dossier to svc_operator;

create table dossier_anchor (
  tenant_id text not null,
  project_id text collate "C" not null,
  dossier_id text collate "C" not null,
  place integer not null,
  ordinal integer not null,
  claim_id text not null,
  kind text not null,
  ref text collate "C" not null,
  start_offset integer,
  end_offset integer,
  quote_blake3 text,
  owner_tenant_id text,
  corpus_id text,
  doc_id text,
  content_hash text,
  constraint dossier_anchor_pkey PRIMARY KEY (tenant_id, project_id, dossier_id, place, ordinal),
  constraint dossier_anchor_tenant_id_project_id_dossier_id_fkey FOREIGN KEY (tenant_id, project_id, dossier_id) REFERENCES dossier(tenant_id, project_id, dossier_id) ON DELETE CASCADE,
  constraint dossier_anchor_check CHECK (((start_offset IS NULL) = (end_offset IS NULL))),
  constraint dossier_anchor_check1 CHECK (((kind = 'chunk'::text) = ((owner_tenant_id IS NOT NULL) AND (corpus_id IS NOT NULL) AND (doc_id IS NOT NULL) AND (content_hash IS NOT NULL)))),
  constraint dossier_anchor_kind_check CHECK ((kind = ANY (ARRAY['fact'::text, 'layer'::text, 'chunk'::text, 'receipt'::text, 'work'::text]))),
  constraint dossier_anchor_ordinal_check CHECK ((ordinal >= 0)),
  constraint dossier_anchor_place_check CHECK ((place >= 0))
);
alter table dossier_anchor enable row level security, force row level security;
create policy erased_rows on dossier_anchor for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on dossier_anchor for all to svc_operator using (true) with check (true);
create policy tenant_rows on dossier_anchor for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX dossier_anchor_ref ON public.dossier_anchor USING btree (tenant_id, ref, kind);
grant insert, select on dossier_anchor to svc_app;
grant insert, select on dossier_anchor to svc_operator;

create table engram_label (
  tenant_id text not null,
  kind text collate "C" not null default 'engram'::text,
  id text collate "C" not null,
  label text collate "C" not null,
  engram_version integer not null,
  version integer not null default 1,
  receipt_id uuid not null,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  moved_by text not null,
  moved_at timestamp with time zone not null default now(),
  constraint engram_label_pkey PRIMARY KEY (tenant_id, kind, id, label),
  constraint engram_label_tenant_id_kind_id_engram_version_fkey FOREIGN KEY (tenant_id, kind, id, engram_version) REFERENCES graph_entity_version(tenant_id, kind, id, version) ON DELETE CASCADE,
  constraint engram_label_kind_check CHECK ((kind = 'engram'::text)),
  constraint engram_label_version_check CHECK ((version > 0))
);
alter table engram_label enable row level security, force row level security;
create policy erased_rows on engram_label for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on engram_label for all to svc_operator using (true) with check (true);
create policy tenant_rows on engram_label for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX engram_label_by_label ON public.engram_label USING btree (tenant_id, label, id);
grant delete, insert, select, update on engram_label to svc_app;
grant delete, insert, select, update on engram_label to svc_operator;

create table entitlement (
  tenant_id text not null,
  publisher_tenant_id text not null,
  corpus_id text not null,
  granted_at timestamp with time zone not null default now(),
  constraint entitlement_pkey PRIMARY KEY (tenant_id, publisher_tenant_id, corpus_id)
);
alter table entitlement enable row level security, force row level security;
create policy erased_rows on entitlement for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on entitlement for all to svc_operator using (true) with check (true);
create policy tenant_rows on entitlement for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE TRIGGER emit AFTER INSERT OR DELETE ON public.entitlement FOR EACH ROW EXECUTE FUNCTION svc_emit_entitlement();
grant delete, insert, select, update on entitlement to svc_app;
grant delete, insert, select, update on entitlement to svc_operator;

create table erased_document (
  tenant_id text not null,
  receipt_id uuid not null,
  leaf_index integer not null,
  erasure_id uuid not null,
  announced_by uuid,
  constraint erased_document_pkey PRIMARY KEY (tenant_id, receipt_id, leaf_index)
);
alter table erased_document enable row level security, force row level security;
create policy erased_rows on erased_document for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on erased_document for all to svc_operator using (true) with check (true);
create policy tenant_rows on erased_document for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX erased_document_unannounced ON public.erased_document USING btree (tenant_id) WHERE (announced_by IS NULL);
grant select, update on erased_document to svc_app;
grant select, update on erased_document to svc_operator;

create table erased_fact (
  tenant_id text not null,
  receipt_id uuid not null,
  leaf_index integer not null,
  erasure_id uuid not null,
  announced_by uuid,
  constraint erased_fact_pkey PRIMARY KEY (tenant_id, receipt_id, leaf_index)
);
alter table erased_fact enable row level security, force row level security;
create policy erased_rows on erased_fact for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on erased_fact for all to svc_operator using (true) with check (true);
create policy tenant_rows on erased_fact for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX erased_fact_unannounced ON public.erased_fact USING btree (tenant_id) WHERE (announced_by IS NULL);
grant select, update on erased_fact to svc_app;
grant select, update on erased_fact to svc_operator;

create table erased_receipt (
  tenant_id text not null,
  record_digest bytea not null,
  stream text,
  seq bigint,
  prev_hash bytea,
  payload_hash bytea,
  erasure_id uuid not null,
  announced_by uuid,
  constraint erased_receipt_pkey PRIMARY KEY (tenant_id, record_digest),
  constraint erased_receipt_record_digest_check CHECK ((length(record_digest) = 32))
);
alter table erased_receipt enable row level security, force row level security;
create policy erased_rows on erased_receipt for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on erased_receipt for all to svc_operator using (true) with check (true);
create policy tenant_rows on erased_receipt for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE UNIQUE INDEX erased_receipt_place ON public.erased_receipt USING btree (tenant_id, stream, seq) WHERE (stream IS NOT NULL);
CREATE INDEX erased_receipt_unannounced ON public.erased_receipt USING btree (tenant_id) WHERE (announced_by IS NULL);
grant select, update on erased_receipt to svc_app;
grant select, update on erased_receipt to svc_operator;

create table erased_segment (
  tenant_id text not null,
  node_id text collate "C" not null,
  segment_seq bigint not null,
  digest bytea not null,
  erasure_id uuid not null,
  constraint erased_segment_pkey PRIMARY KEY (tenant_id, node_id, segment_seq),
  constraint erased_segment_digest_check CHECK ((length(digest) = 32))
);
alter table erased_segment enable row level security, force row level security;
create policy erased_rows on erased_segment for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on erased_segment for all to svc_operator using (true) with check (true);
create policy tenant_rows on erased_segment for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant select on erased_segment to svc_app;
grant select on erased_segment to svc_operator;

create table erasure (
  tenant_id text not null,
  erasure_id uuid not null,
  erased_by text not null,
  erased_at timestamp with time zone not null default now(),
  counts jsonb not null,
  receipt_id uuid,
  scrub_id uuid not null,
  constraint erasure_pkey PRIMARY KEY (tenant_id, erasure_id),
  constraint erasure_scrub_id_fkey FOREIGN KEY (scrub_id) REFERENCES scrub(scrub_id)
);
alter table erasure enable row level security, force row level security;
create policy erased_rows on erasure for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on erasure for all to svc_operator using (true) with check (true);
create policy tenant_rows on erasure for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant insert, select on erasure to svc_app;
grant insert, select on erasure to svc_operator;

create table erasure_request (
  tenant_id text not null,
  erasure_id uuid not null,
  selector jsonb,
  state text not null default 'running'::text,
  requested_by text not null,
  auth_mode text not null,
  session_id text,
  requested_at timestamp with time zone not null default now(),
  attempts integer not null default 0,
  hold_ids uuid[] not null default '{}'::uuid[],
  reason text,
  due_at timestamp with time zone not null default now(),
  constraint erasure_request_pkey PRIMARY KEY (tenant_id, erasure_id),
  constraint erasure_request_check CHECK (((selector IS NOT NULL) = (state = 'running'::text))),
  constraint erasure_request_state_check CHECK ((state = ANY (ARRAY['running'::text, 'refused'::text, 'failed'::text])))
);
alter table erasure_request enable row level security, force row level security;
create policy erased_rows on erasure_request for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on erasure_request for all to svc_operator using (true) with check (true);
create policy tenant_rows on erasure_request for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX erasure_request_running ON public.erasure_request USING btree (requested_at) WHERE (state = 'running'::text);
grant delete, insert, select, update on erasure_request to svc_app;
grant delete, insert, select, update on erasure_request to svc_operator;

create table es256_key (
  kid text not null,
  statement bytea not null,
  named_at timestamp with time zone not null default now(),
  constraint es256_key_pkey PRIMARY KEY (kid)
);
grant select on es256_key to svc_app;
grant insert, select on es256_key to svc_operator;

create table evidence_look (
  only_one boolean not null default true,
  holder uuid not null,
  held_until timestamp with time zone not null,
  began_at timestamp with time zone not null,
  place jsonb,
  leaves_seen bytea,
  ended_at timestamp with time zone,
  ended_examined bigint,
  ended_findings integer,
  constraint evidence_look_pkey PRIMARY KEY (only_one),
  constraint evidence_look_only_one_check CHECK (only_one)
);
grant insert, select, update on evidence_look to svc_operator;

create table extension (
  tenant_id text not null,
  extension_id text collate "C" not null,
  display_name text not null,
  description text,
  kind text not null,
  digest text not null,
  module_bytes integer,
  module bytea,
  tool text,
  arguments jsonb,
  registered_by text not null,
  registered_at timestamp with time zone not null default now(),
  enabled_at timestamp with time zone,
  changed_by text,
  constraint extension_pkey PRIMARY KEY (tenant_id, extension_id),
  constraint extension_check CHECK (((kind = 'wasm'::text) = (module IS NOT NULL))),
  constraint extension_check1 CHECK (((kind = 'wasm'::text) = (module_bytes IS NOT NULL))),
  constraint extension_check2 CHECK (((kind = 'tool'::text) = (tool IS NOT NULL))),
  constraint extension_kind_check CHECK ((kind = ANY (ARRAY['wasm'::text, 'tool'::text])))
);
alter table extension enable row level security, force row level security;
create policy erased_rows on extension for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on extension for all to svc_operator using (true) with check (true);
create policy tenant_rows on extension for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on extension to svc_app;
grant delete, select on extension to svc_operator;

create table extension_call (
  tenant_id text not null,
  extension_id text collate "C" not null,
  taken_by text not null,
  called_at timestamp with time zone not null default clock_timestamp(),
  call_id uuid not null,
  constraint extension_call_pkey PRIMARY KEY (tenant_id, extension_id, taken_by, called_at, call_id)
);
alter table extension_call enable row level security, force row level security;
create policy erased_rows on extension_call for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on extension_call for all to svc_operator using (true) with check (true);
create policy tenant_rows on extension_call for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX extension_call_age ON public.extension_call USING btree (called_at);
grant delete, insert, select, update on extension_call to svc_app;
grant delete, select on extension_call to svc_operator;

create table extraction (
  tenant_id text not null,
  extraction_id uuid not null,
  operation_id text,
  request_digest bytea not null,
  profile text not null,
  counts json not null,
  receipt_id uuid not null,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  constraint extraction_pkey PRIMARY KEY (tenant_id, extraction_id)
);
alter table extraction enable row level security, force row level security;
create policy erased_rows on extraction for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on extraction for all to svc_operator using (true) with check (true);
create policy tenant_rows on extraction for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE UNIQUE INDEX extraction_operation ON public.extraction USING btree (tenant_id, operation_id);
grant insert, select on extraction to svc_app;
grant insert, select on extraction to svc_operator;

create table fact (
  tenant_id text not null,
  seq bigint not null,
  fact_id uuid not null,
  chain bytea not null,
  version integer not null,
  visibility smallint not null,
  owner text not null,
  entity text collate "C" not null,
  key text collate "C" not null,
  value text not null,
  actor text not null,
  confidence real not null,
  horizon_class text not null,
  tokens integer not null,
  tenant_hash text,
  source_receipt text,
  stored_at timestamp with time zone not null,
  valid_from timestamp with time zone,
  valid_to timestamp with time zone,
  ends_at timestamp with time zone,
  tombstone boolean not null default false,
  supersedes bigint,
  superseded_by uuid,
  superseded_at timestamp with time zone,
  deleted_at timestamp with time zone,
  written_by text,
  actor_claimed boolean not null default false,
  receipt_id uuid,
  leaf_index integer,
  quarantined boolean not null default false,
  sources_digest text,
  constraint fact_tenant_id_chain_version_key UNIQUE (tenant_id, chain, version),
  constraint fact_tenant_id_fact_id_key UNIQUE (tenant_id, fact_id),
  constraint fact_pkey PRIMARY KEY (tenant_id, seq),
  constraint fact_chain_check CHECK ((length(chain) = 32)),
  constraint fact_check CHECK (((owner = ''::text) = (visibility = 0))),
  constraint fact_horizon_class_check CHECK ((horizon_class = ANY (ARRAY['ephemeral'::text, 'session'::text, 'durable'::text, 'permanent'::text]))),
  constraint fact_visibility_check CHECK (((visibility >= 0) AND (visibility <= 2)))
);
alter table fact enable row level security, force row level security;
create policy erased_rows on fact for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on fact for all to svc_operator using (true) with check (true);
create policy tenant_rows on fact for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX fact_deleted ON public.fact USING btree (tenant_id, visibility, stored_at, seq) WHERE ((deleted_at IS NOT NULL) AND (NOT tombstone));
CREATE INDEX fact_identifier ON public.fact USING btree (tenant_id, seq) WHERE ((key = ANY (ARRAY['email'::text, 'email_address'::text, 'external_id'::text, 'github_id'::text, 'gitlab_id'::text, 'slack_id'::text, 'orcid'::text, 'github_login'::text, 'gitlab_login'::text, 'key_fingerprint'::text, 'ssh_fingerprint'::text, 'gpg_fingerprint'::text, 'git_author'::text])) AND (visibility = 0) AND (deleted_at IS NULL) AND (NOT tombstone));
CREATE INDEX fact_list ON public.fact USING btree (tenant_id, visibility, stored_at, seq) WHERE ((deleted_at IS NULL) AND (NOT tombstone));
CREATE INDEX fact_own ON public.fact USING btree (tenant_id, owner, visibility, stored_at, seq) WHERE ((visibility > 0) AND (deleted_at IS NULL) AND (NOT tombstone));
CREATE INDEX fact_source ON public.fact USING btree (tenant_id, source_receipt) WHERE (source_receipt IS NOT NULL);
CREATE TRIGGER drop_vectors AFTER DELETE ON public.fact REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION svc_drop_vectors('fact', 'seq');
CREATE TRIGGER legal_hold BEFORE DELETE ON public.fact FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[r.entity]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.fact REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[r.entity]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.fact FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, seq, entity, key, value, actor, stored_at, deleted_at ON public.fact FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.seq IS NOT NULL) AND (old.seq IS DISTINCT FROM new.seq)) OR ((old.entity IS NOT NULL) AND (old.entity IS DISTINCT FROM new.entity)) OR ((old.key IS NOT NULL) AND (old.key IS DISTINCT FROM new.key)) OR ((old.value IS NOT NULL) AND (old.value IS DISTINCT FROM new.value)) OR ((old.actor IS NOT NULL) AND (old.actor IS DISTINCT FROM new.actor)) OR ((old.stored_at IS NOT NULL) AND (old.stored_at IS DISTINCT FROM new.stored_at)) OR ((old.deleted_at IS NULL) AND (new.deleted_at > '-infinity'::timestamp with time zone)))) EXECUTE FUNCTION svc_keep_held('array[r.entity]');
CREATE TRIGGER sync_delete AFTER DELETE ON public.fact REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION svc_mark_sync('facts', 'array[r.entity, r.key]', 'r.visibility = 0');
CREATE TRIGGER sync_enter BEFORE DELETE ON public.fact FOR EACH STATEMENT EXECUTE FUNCTION svc_enter_sync();
CREATE TRIGGER sync_quarantine AFTER UPDATE OF quarantined ON public.fact FOR EACH ROW WHEN (((old.quarantined IS DISTINCT FROM new.quarantined) AND (new.visibility = 0))) EXECUTE FUNCTION svc_mark_sync_fact();
grant delete, insert, select, update on fact to svc_app;
grant delete, insert, select, update on fact to svc_operator;

create table fact_actor (
  tenant_id text not null,
  actor text not null,
  actor_claimed boolean not null,
  slot integer not null,
  records bigint not null,
  last_at timestamp with time zone not null,
  constraint fact_actor_pkey PRIMARY KEY (tenant_id, actor, actor_claimed, slot)
);
alter table fact_actor enable row level security, force row level security;
create policy erased_rows on fact_actor for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on fact_actor for all to svc_operator using (true) with check (true);
create policy tenant_rows on fact_actor for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on fact_actor to svc_app;
grant delete, insert, select, update on fact_actor to svc_operator;

create table fact_batch (
  tenant_id text not null,
  receipt_id uuid not null,
  facts uuid[] not null,
  leaves bytea not null,
  constraint fact_batch_pkey PRIMARY KEY (tenant_id, receipt_id),
  constraint fact_batch_check CHECK ((length(leaves) = (32 * cardinality(facts))))
);
alter table fact_batch enable row level security, force row level security;
create policy erased_rows on fact_batch for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on fact_batch for all to svc_operator using (true) with check (true);
create policy tenant_rows on fact_batch for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant insert, select on fact_batch to svc_app;
grant insert, select on fact_batch to svc_operator;

create table fact_count (
  tenant_id text not null,
  scope text not null,
  visibility smallint not null,
  slot integer not null,
  records bigint not null,
  current bigint not null,
  constraint fact_count_pkey PRIMARY KEY (tenant_id, scope, visibility, slot)
);
alter table fact_count enable row level security, force row level security;
create policy erased_rows on fact_count for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on fact_count for all to svc_operator using (true) with check (true);
create policy tenant_rows on fact_count for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on fact_count to svc_app;
grant delete, insert, select, update on fact_count to svc_operator;

create table fact_head (
  tenant_id text not null,
  chain bytea not null,
  owner text not null,
  visibility smallint not null,
  entity text collate "C" not null,
  entity_start text collate "C" not null generated always as ("left"(entity, 200)) stored,
  version integer not null,
  seq bigint not null,
  stored_at timestamp with time zone not null,
  supersedes bigint,
  records integer not null,
  compacted integer not null default 0,
  constraint fact_head_pkey PRIMARY KEY (tenant_id, chain)
);
alter table fact_head enable row level security, force row level security;
create policy erased_rows on fact_head for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on fact_head for all to svc_operator using (true) with check (true);
create policy tenant_rows on fact_head for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX fact_head_entity ON public.fact_head USING btree (tenant_id, entity_start);
CREATE INDEX fact_head_list ON public.fact_head USING btree (tenant_id, visibility, stored_at, seq) WHERE (records > 0);
CREATE INDEX fact_head_own ON public.fact_head USING btree (tenant_id, owner, visibility, stored_at, seq) WHERE ((visibility > 0) AND (records > 0));
CREATE TRIGGER legal_hold BEFORE DELETE ON public.fact_head FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[r.entity]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.fact_head REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[r.entity]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.fact_head FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, chain, entity ON public.fact_head FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.chain IS NOT NULL) AND (old.chain IS DISTINCT FROM new.chain)) OR ((old.entity IS NOT NULL) AND (old.entity IS DISTINCT FROM new.entity)))) EXECUTE FUNCTION svc_keep_held('array[r.entity]');
grant delete, insert, select, update on fact_head to svc_app;
grant delete, insert, select, update on fact_head to svc_operator;

create table fact_index (
  tenant_id text not null,
  generation bigint not null,
  sealed_seq bigint not null,
  constraint fact_index_pkey PRIMARY KEY (tenant_id)
);
alter table fact_index enable row level security, force row level security;
create policy erased_rows on fact_index for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on fact_index for all to svc_operator using (true) with check (true);
create policy tenant_rows on fact_index for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on fact_index to svc_app;
grant delete, insert, select, update on fact_index to svc_operator;

create table fact_segment (
  tenant_id text not null,
  segment_id uuid not null,
  visibility smallint not null,
  history boolean not null,
  fact_count integer not null,
  retire_count integer not null,
  header bytea not null,
  header_digest bytea not null,
  columns bytea not null,
  columns_digest bytea not null,
  postings bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint fact_segment_pkey PRIMARY KEY (tenant_id, segment_id),
  constraint fact_segment_columns_digest_check CHECK ((length(columns_digest) = 32)),
  constraint fact_segment_header_digest_check CHECK ((length(header_digest) = 32)),
  constraint fact_segment_visibility_check CHECK (((visibility >= 0) AND (visibility <= 2)))
);
alter table fact_segment enable row level security, force row level security;
create policy erased_rows on fact_segment for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on fact_segment for all to svc_operator using (true) with check (true);
create policy tenant_rows on fact_segment for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on fact_segment to svc_app;
grant delete, insert, select, update on fact_segment to svc_operator;

create table fact_settled (
  tenant_id text not null,
  settled_at timestamp with time zone not null,
  constraint fact_settled_pkey PRIMARY KEY (tenant_id)
);
alter table fact_settled enable row level security, force row level security;
create policy erased_rows on fact_settled for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on fact_settled for all to svc_operator using (true) with check (true);
create policy tenant_rows on fact_settled for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on fact_settled to svc_app;
grant delete, insert, select, update on fact_settled to svc_operator;

create table fact_source_ref (
  tenant_id text not null,
  fact_id uuid not null,
  "position" smallint not null,
  kind text not null,
  source_id text not null,
  version integer,
  digest text,
  owner_tenant_id text,
  corpus_id text,
  doc_id text,
  constraint fact_source_ref_pkey PRIMARY KEY (tenant_id, fact_id, "position"),
  constraint fact_source_ref_tenant_id_fact_id_fkey FOREIGN KEY (tenant_id, fact_id) REFERENCES fact(tenant_id, fact_id) ON DELETE CASCADE,
  constraint fact_source_ref_kind_check CHECK ((kind = ANY (ARRAY['passage'::text, 'document'::text, 'fact'::text, 'answer'::text, 'receipt'::text])))
);
alter table fact_source_ref enable row level security, force row level security;
create policy erased_rows on fact_source_ref for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on fact_source_ref for all to svc_operator using (true) with check (true);
create policy tenant_rows on fact_source_ref for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on fact_source_ref to svc_app;
grant delete, insert, select, update on fact_source_ref to svc_operator;

create table feedback_request (
  tenant_id text not null,
  request_id uuid not null,
  title text not null,
  body text not null,
  category text not null,
  agent_id text,
  status text not null default 'open'::text,
  votes integer not null default 0,
  submitted_by text not null,
  submitted_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint feedback_request_pkey PRIMARY KEY (tenant_id, request_id),
  constraint feedback_request_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint feedback_request_status_check CHECK ((status = ANY (ARRAY['open'::text, 'acknowledged'::text, 'shipped'::text, 'archived'::text]))),
  constraint feedback_request_votes_check CHECK ((votes >= 0))
);
alter table feedback_request enable row level security, force row level security;
create policy erased_rows on feedback_request for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on feedback_request for all to svc_operator using (true) with check (true);
create policy tenant_rows on feedback_request for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX feedback_request_votes ON public.feedback_request USING btree (tenant_id, votes DESC, request_id DESC);
CREATE TRIGGER legal_hold BEFORE DELETE ON public.feedback_request FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''feedback:'' || r.request_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.feedback_request REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''feedback:'' || r.request_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.feedback_request FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, request_id, title, body ON public.feedback_request FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.request_id IS NOT NULL) AND (old.request_id IS DISTINCT FROM new.request_id)) OR ((old.title IS NOT NULL) AND (old.title IS DISTINCT FROM new.title)) OR ((old.body IS NOT NULL) AND (old.body IS DISTINCT FROM new.body)))) EXECUTE FUNCTION svc_keep_held('array[''feedback:'' || r.request_id]');
grant delete, insert, select, update on feedback_request to svc_app;
grant delete, insert, select, update on feedback_request to svc_operator;

create table feedback_request_change (
  tenant_id text not null,
  request_id uuid not null,
  seq integer not null,
  action text not null,
  from_status text,
  to_status text not null,
  principal text not null,
  reason text,
  note text,
  changed_at timestamp with time zone not null default now(),
  constraint feedback_request_change_pkey PRIMARY KEY (tenant_id, request_id, seq),
  constraint feedback_request_change_tenant_id_request_id_fkey FOREIGN KEY (tenant_id, request_id) REFERENCES feedback_request(tenant_id, request_id)
);
alter table feedback_request_change enable row level security, force row level security;
create policy erased_rows on feedback_request_change for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on feedback_request_change for all to svc_operator using (true) with check (true);
create policy tenant_rows on feedback_request_change for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant insert, select on feedback_request_change to svc_app;
grant insert, select on feedback_request_change to svc_operator;

create table feedback_vote (
  tenant_id text not null,
  request_id uuid not null,
  principal text not null,
  voted_at timestamp with time zone not null default now(),
  withdrawn_at timestamp with time zone,
  constraint feedback_vote_pkey PRIMARY KEY (tenant_id, request_id, principal),
  constraint feedback_vote_tenant_id_request_id_fkey FOREIGN KEY (tenant_id, request_id) REFERENCES feedback_request(tenant_id, request_id)
);
alter table feedback_vote enable row level security, force row level security;
create policy erased_rows on feedback_vote for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on feedback_vote for all to svc_operator using (true) with check (true);
create policy tenant_rows on feedback_vote for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on feedback_vote to svc_app;
grant delete, insert, select, update on feedback_vote to svc_operator;

create table github_delivery (
  tenant_id text not null,
  integration_id uuid not null,
  delivery_id text collate "C" not null,
  received_at timestamp with time zone not null default now(),
  constraint github_delivery_pkey PRIMARY KEY (tenant_id, integration_id, delivery_id),
  constraint github_delivery_tenant_id_integration_id_fkey FOREIGN KEY (tenant_id, integration_id) REFERENCES github_integration(tenant_id, integration_id) ON DELETE CASCADE
);
alter table github_delivery enable row level security, force row level security;
create policy erased_rows on github_delivery for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on github_delivery for all to svc_operator using (true) with check (true);
create policy tenant_rows on github_delivery for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX github_delivery_age ON public.github_delivery USING btree (received_at);
grant delete, insert, select, update on github_delivery to svc_app;
grant delete, select on github_delivery to svc_operator;

create table github_integration (
  tenant_id text not null,
  integration_id uuid not null,
  account_id bigint not null,
  account text not null,
  token_scopes text[] not null,
  token_expires_at timestamp with time zone,
  token text not null,
  webhook_secret text not null,
  connected_by text not null,
  connected_at timestamp with time zone not null default now(),
  checked_at timestamp with time zone not null default now(),
  last_delivery_at timestamp with time zone,
  constraint github_integration_tenant_id_account_id_key UNIQUE (tenant_id, account_id),
  constraint github_integration_pkey PRIMARY KEY (tenant_id, integration_id)
);
alter table github_integration enable row level security, force row level security;
create policy erased_rows on github_integration for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on github_integration for all to svc_operator using (true) with check (true);
create policy tenant_rows on github_integration for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX github_integration_id ON public.github_integration USING btree (integration_id);
grant delete, insert, select, update on github_integration to svc_app;
grant delete, select on github_integration to svc_operator;

create table github_item (
  tenant_id text not null,
  repository_id bigint not null,
  number bigint not null,
  integration_id uuid not null,
  kind text not null,
  repository text collate "C" not null,
  title text not null,
  url text not null,
  state text not null,
  changed_at timestamp with time zone not null,
  reported_at timestamp with time zone not null default now(),
  constraint github_item_pkey PRIMARY KEY (tenant_id, repository_id, number),
  constraint github_item_tenant_id_integration_id_fkey FOREIGN KEY (tenant_id, integration_id) REFERENCES github_integration(tenant_id, integration_id) ON DELETE CASCADE,
  constraint github_item_kind_check CHECK ((kind = ANY (ARRAY['issue'::text, 'pull_request'::text]))),
  constraint github_item_state_check CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text, 'merged'::text, 'deleted'::text])))
);
alter table github_item enable row level security, force row level security;
create policy erased_rows on github_item for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on github_item for all to svc_operator using (true) with check (true);
create policy tenant_rows on github_item for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX github_item_integration ON public.github_item USING btree (tenant_id, integration_id);
grant delete, insert, select, update on github_item to svc_app;
grant delete, select on github_item to svc_operator;

create table graph_edge (
  tenant_id text not null,
  from_kind text collate "C" not null,
  from_id text collate "C" not null,
  edge_kind text collate "C" not null,
  to_kind text collate "C" not null,
  to_id text collate "C" not null,
  payload json not null,
  version integer not null default 1,
  live_since integer not null default 1,
  is_deleted boolean not null default false,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  updated_by text not null,
  constraint graph_edge_pkey PRIMARY KEY (tenant_id, from_kind, from_id, edge_kind, to_kind, to_id)
);
alter table graph_edge enable row level security, force row level security;
create policy erased_rows on graph_edge for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on graph_edge for all to svc_operator using (true) with check (true);
create policy tenant_rows on graph_edge for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX graph_edge_from_id ON public.graph_edge USING btree (tenant_id, from_id, from_kind, edge_kind, to_kind, to_id);
CREATE INDEX graph_edge_kind ON public.graph_edge USING btree (tenant_id, edge_kind, from_kind, from_id, to_kind, to_id);
CREATE INDEX graph_edge_to_id ON public.graph_edge USING btree (tenant_id, to_id, from_kind, from_id, edge_kind, to_kind);
CREATE INDEX graph_edge_to_kind ON public.graph_edge USING btree (tenant_id, to_kind, from_kind, from_id, edge_kind, to_id);
CREATE TRIGGER legal_hold BEFORE DELETE ON public.graph_edge FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[r.from_kind || '':'' || r.from_id, r.to_kind || '':'' || r.to_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.graph_edge REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[r.from_kind || '':'' || r.from_id, r.to_kind || '':'' || r.to_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.graph_edge FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, from_kind, from_id, edge_kind, to_kind, to_id, payload, is_deleted ON public.graph_edge FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.from_kind IS NOT NULL) AND (old.from_kind IS DISTINCT FROM new.from_kind)) OR ((old.from_id IS NOT NULL) AND (old.from_id IS DISTINCT FROM new.from_id)) OR ((old.edge_kind IS NOT NULL) AND (old.edge_kind IS DISTINCT FROM new.edge_kind)) OR ((old.to_kind IS NOT NULL) AND (old.to_kind IS DISTINCT FROM new.to_kind)) OR ((old.to_id IS NOT NULL) AND (old.to_id IS DISTINCT FROM new.to_id)) OR ((old.payload IS NOT NULL) AND ((old.payload)::text IS DISTINCT FROM (new.payload)::text)) OR ((NOT old.is_deleted) AND new.is_deleted))) EXECUTE FUNCTION svc_keep_held('array[r.from_kind || '':'' || r.from_id, r.to_kind || '':'' || r.to_id]');
CREATE TRIGGER sync_delete AFTER DELETE ON public.graph_edge REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION svc_mark_sync('edges', 'array[r.from_kind, r.from_id, r.edge_kind, r.to_kind, r.to_id]', 'true');
CREATE TRIGGER sync_enter BEFORE INSERT OR DELETE OR UPDATE ON public.graph_edge FOR EACH STATEMENT EXECUTE FUNCTION svc_enter_sync();
CREATE TRIGGER sync_insert AFTER INSERT ON public.graph_edge REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION svc_mark_sync('edges', 'array[r.from_kind, r.from_id, r.edge_kind, r.to_kind, r.to_id]', 'true');
CREATE TRIGGER sync_update AFTER UPDATE ON public.graph_edge REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION svc_mark_sync('edges', 'array[r.from_kind, r.from_id, r.edge_kind, r.to_kind, r.to_id]', 'true');
grant delete, insert, select, update on graph_edge to svc_app;
grant delete, insert, select, update on graph_edge to svc_operator;

create table graph_entity (
  tenant_id text not null,
  kind text collate "C" not null,
  id text collate "C" not null,
  version integer not null default 1,
  live_since integer not null default 1,
  is_deleted boolean not null default false,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint graph_entity_pkey PRIMARY KEY (tenant_id, kind, id)
);
alter table graph_entity enable row level security, force row level security;
create policy erased_rows on graph_entity for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on graph_entity for all to svc_operator using (true) with check (true);
create policy tenant_rows on graph_entity for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX graph_entity_live ON public.graph_entity USING btree (tenant_id, kind, id) WHERE (NOT is_deleted);
CREATE TRIGGER legal_hold BEFORE DELETE ON public.graph_entity FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[r.kind || '':'' || r.id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.graph_entity REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[r.kind || '':'' || r.id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.graph_entity FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, kind, id, is_deleted ON public.graph_entity FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.kind IS NOT NULL) AND (old.kind IS DISTINCT FROM new.kind)) OR ((old.id IS NOT NULL) AND (old.id IS DISTINCT FROM new.id)) OR ((NOT old.is_deleted) AND new.is_deleted))) EXECUTE FUNCTION svc_keep_held('array[r.kind || '':'' || r.id]');
CREATE TRIGGER sync_delete AFTER DELETE ON public.graph_entity REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION svc_mark_sync('entities', 'array[r.kind, r.id]', 'true');
CREATE TRIGGER sync_enter BEFORE INSERT OR DELETE OR UPDATE ON public.graph_entity FOR EACH STATEMENT EXECUTE FUNCTION svc_enter_sync();
CREATE TRIGGER sync_insert AFTER INSERT ON public.graph_entity REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION svc_mark_sync('entities', 'array[r.kind, r.id]', 'true');
CREATE TRIGGER sync_update AFTER UPDATE ON public.graph_entity REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION svc_mark_sync('entities', 'array[r.kind, r.id]', 'true');
grant delete, insert, select, update on graph_entity to svc_app;
grant delete, insert, select, update on graph_entity to svc_operator;

create table graph_entity_version (
  tenant_id text not null,
  kind text collate "C" not null,
  id text collate "C" not null,
  version integer not null,
  payload json not null,
  is_deleted boolean not null,
  stored_by text not null,
  stored_at timestamp with time zone not null,
  seq bigint,
  constraint graph_entity_version_pkey PRIMARY KEY (tenant_id, kind, id, version)
);
alter table graph_entity_version enable row level security, force row level security;
create policy erased_rows on graph_entity_version for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on graph_entity_version for all to svc_operator using (true) with check (true);
create policy tenant_rows on graph_entity_version for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX graph_entity_version_seq ON public.graph_entity_version USING btree (tenant_id, seq) WHERE (seq IS NOT NULL);
CREATE TRIGGER drop_vectors AFTER DELETE ON public.graph_entity_version REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION svc_drop_vectors('engram', 'seq');
CREATE TRIGGER keep_number BEFORE UPDATE OF seq ON public.graph_entity_version FOR EACH ROW EXECUTE FUNCTION svc_keep_number();
CREATE TRIGGER legal_hold BEFORE DELETE ON public.graph_entity_version FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[r.kind || '':'' || r.id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.graph_entity_version REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[r.kind || '':'' || r.id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.graph_entity_version FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, kind, id, version, payload ON public.graph_entity_version FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.kind IS NOT NULL) AND (old.kind IS DISTINCT FROM new.kind)) OR ((old.id IS NOT NULL) AND (old.id IS DISTINCT FROM new.id)) OR ((old.version IS NOT NULL) AND (old.version IS DISTINCT FROM new.version)) OR ((old.payload IS NOT NULL) AND ((old.payload)::text IS DISTINCT FROM (new.payload)::text)))) EXECUTE FUNCTION svc_keep_held('array[r.kind || '':'' || r.id]');
CREATE TRIGGER number_row BEFORE INSERT ON public.graph_entity_version FOR EACH ROW WHEN ((new.kind = 'engram'::text)) EXECUTE FUNCTION svc_number_row('engram_number');
grant insert, select on graph_entity_version to svc_app;
grant insert, select on graph_entity_version to svc_operator;

create table graph_kind (
  tenant_id text not null,
  kind text collate "C" not null,
  used_by text not null,
  slot smallint not null,
  live bigint not null,
  first_seen_at timestamp with time zone not null default now(),
  constraint graph_kind_pkey PRIMARY KEY (tenant_id, kind, used_by, slot),
  constraint graph_kind_used_by_check CHECK ((used_by = ANY (ARRAY['entity'::text, 'edge'::text, 'endpoint'::text])))
);
alter table graph_kind enable row level security, force row level security;
create policy erased_rows on graph_kind for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on graph_kind for all to svc_operator using (true) with check (true);
create policy tenant_rows on graph_kind for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on graph_kind to svc_app;
grant delete, insert, select, update on graph_kind to svc_operator;

create table hold_refusal (
  tenant_id text not null,
  minute timestamp with time zone not null,
  what bytea not null,
  hold_ids uuid[] not null,
  entity text not null,
  principal text not null,
  auth_mode text not null,
  table_name text not null,
  operation text not null,
  attempts bigint not null default 1,
  first_at timestamp with time zone not null default clock_timestamp(),
  last_at timestamp with time zone not null default clock_timestamp(),
  receipt_id uuid,
  constraint hold_refusal_pkey PRIMARY KEY (tenant_id, minute, what),
  constraint hold_refusal_what_check CHECK ((length(what) = 32))
);
alter table hold_refusal enable row level security, force row level security;
create policy erased_rows on hold_refusal for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy noted on hold_refusal for all to svc_owner using (true) with check (true);
create policy operator_rows on hold_refusal for all to svc_operator using (true) with check (true);
create policy tenant_rows on hold_refusal for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX hold_refusal_due ON public.hold_refusal USING btree (tenant_id, minute) WHERE (receipt_id IS NULL);
grant insert, select, update on hold_refusal to svc_app;
grant insert, select, update on hold_refusal to svc_operator;

create table idempotent_request (
  tenant_id text not null,
  principal text not null,
  method text not null,
  path text not null,
  idempotency_key text not null,
  request_digest bytea not null,
  status smallint not null,
  body text,
  created_at timestamp with time zone not null default now(),
  constraint idempotent_request_pkey PRIMARY KEY (tenant_id, principal, method, path, idempotency_key)
);
alter table idempotent_request enable row level security, force row level security;
create policy erased_rows on idempotent_request for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on idempotent_request for all to svc_operator using (true) with check (true);
create policy tenant_rows on idempotent_request for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX idempotent_request_age ON public.idempotent_request USING btree (created_at);
grant delete, insert, select, update on idempotent_request to svc_app;
grant delete, insert, select, update on idempotent_request to svc_operator;

create table identity_link (
  tenant_id text not null,
  link_id uuid not null,
  entity text collate "C" not null,
  other text collate "C" not null,
  status text not null,
  evidence jsonb not null,
  proposed_by text not null,
  proposed_at timestamp with time zone not null default now(),
  decided_by text,
  decided_at timestamp with time zone,
  reason text,
  constraint identity_link_tenant_id_entity_other_key UNIQUE (tenant_id, entity, other),
  constraint identity_link_pkey PRIMARY KEY (tenant_id, link_id),
  constraint identity_link_check CHECK ((entity < other)),
  constraint identity_link_check1 CHECK (((status = 'candidate'::text) = (decided_at IS NULL))),
  constraint identity_link_check2 CHECK (((decided_by IS NULL) = (decided_at IS NULL))),
  constraint identity_link_status_check CHECK ((status = ANY (ARRAY['candidate'::text, 'linked'::text, 'rejected'::text, 'unlinked'::text])))
);
alter table identity_link enable row level security, force row level security;
create policy erased_rows on identity_link for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on identity_link for all to svc_operator using (true) with check (true);
create policy tenant_rows on identity_link for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX identity_link_list ON public.identity_link USING btree (tenant_id, status, link_id);
CREATE INDEX identity_link_other ON public.identity_link USING btree (tenant_id, other);
CREATE TRIGGER legal_hold BEFORE DELETE ON public.identity_link FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[r.entity, r.other]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.identity_link REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[r.entity, r.other]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.identity_link FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, link_id, entity, other ON public.identity_link FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.link_id IS NOT NULL) AND (old.link_id IS DISTINCT FROM new.link_id)) OR ((old.entity IS NOT NULL) AND (old.entity IS DISTINCT FROM new.entity)) OR ((old.other IS NOT NULL) AND (old.other IS DISTINCT FROM new.other)))) EXECUTE FUNCTION svc_keep_held('array[r.entity, r.other]');
grant insert, select, update on identity_link to svc_app;
grant delete, select on identity_link to svc_operator;

create table incident (
  tenant_id text not null,
  incident_id uuid not null,
  title text not null,
  window_from timestamp with time zone not null,
  window_to timestamp with time zone,
  session_ids text[] not null default '{}'::text[],
  agent_ids text[] not null default '{}'::text[],
  entities text[] not null default '{}'::text[],
  notes json not null default '[]'::json,
  severity text not null,
  status text not null default 'open'::text,
  version integer not null default 1,
  receipt_id uuid not null,
  opened_by text not null,
  opened_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  closed_at timestamp with time zone,
  constraint incident_pkey PRIMARY KEY (tenant_id, incident_id),
  constraint incident_check CHECK ((window_to >= window_from)),
  constraint incident_severity_check CHECK ((severity = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text, 'critical'::text]))),
  constraint incident_status_check CHECK ((status = ANY (ARRAY['open'::text, 'contained'::text, 'closed'::text]))),
  constraint incident_version_check CHECK ((version > 0))
);
alter table incident enable row level security, force row level security;
create policy erased_rows on incident for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on incident for all to svc_operator using (true) with check (true);
create policy tenant_rows on incident for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant insert, select, update on incident to svc_app;
grant insert, select, update on incident to svc_operator;

create table index_garbage (
  tenant_id text not null,
  segment_id uuid not null,
  constraint index_garbage_pkey PRIMARY KEY (tenant_id, segment_id)
);
alter table index_garbage enable row level security, force row level security;
create policy erased_rows on index_garbage for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on index_garbage for all to svc_operator using (true) with check (true);
create policy tenant_rows on index_garbage for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on index_garbage to svc_app;
grant delete, insert, select, update on index_garbage to svc_operator;

create table index_posting (
  tenant_id text not null,
  segment_id uuid not null,
  term text collate "C" not null,
  postings bytea not null,
  constraint index_posting_pkey PRIMARY KEY (tenant_id, segment_id, term)
);
alter table index_posting enable row level security, force row level security;
create policy erased_rows on index_posting for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on index_posting for all to svc_operator using (true) with check (true);
create policy shared_rows on index_posting for select to svc_app using ((EXISTS ( SELECT
   FROM index_segment s
  WHERE ((s.tenant_id = index_posting.tenant_id) AND (s.segment_id = index_posting.segment_id)))));
create policy tenant_rows on index_posting for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on index_posting to svc_app;
grant delete, insert, select, update on index_posting to svc_operator;

create table index_segment (
  tenant_id text not null,
  segment_id uuid not null,
  shard_id uuid not null,
  sequence bigint not null,
  chunk_count integer not null,
  header bytea not null,
  digest bytea not null,
  created_at timestamp with time zone not null default now(),
  constraint index_segment_pkey PRIMARY KEY (tenant_id, segment_id),
  constraint index_segment_digest_check CHECK ((length(digest) = 32))
);
alter table index_segment enable row level security, force row level security;
create policy erased_rows on index_segment for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on index_segment for all to svc_operator using (true) with check (true);
create policy shared_rows on index_segment for select to svc_app using ((EXISTS ( SELECT
   FROM index_shard s
  WHERE ((s.tenant_id = index_segment.tenant_id) AND (s.shard_id = index_segment.shard_id)))));
create policy tenant_rows on index_segment for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX index_segment_shard ON public.index_segment USING btree (tenant_id, shard_id);
grant delete, insert, select, update on index_segment to svc_app;
grant delete, insert, select, update on index_segment to svc_operator;

create table index_shard (
  tenant_id text not null,
  shard_id uuid not null default gen_random_uuid(),
  corpus_id text not null,
  shareability text not null,
  language text not null,
  generation bigint not null default 1,
  constraint index_shard_tenant_id_corpus_id_shareability_language_key UNIQUE (tenant_id, corpus_id, shareability, language),
  constraint index_shard_pkey PRIMARY KEY (tenant_id, shard_id),
  constraint index_shard_shareability_check CHECK ((shareability = ANY (ARRAY['owner_only'::text, 'entitled_only'::text, 'public_safe'::text])))
);
alter table index_shard enable row level security, force row level security;
create policy erased_rows on index_shard for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on index_shard for all to svc_operator using (true) with check (true);
create policy shared_rows on index_shard for select to svc_app using (((NULLIF(current_setting('svc.tenant_id'::text, true), ''::text) IS NOT NULL) AND ((shareability = 'public_safe'::text) OR ((shareability = 'entitled_only'::text) AND (EXISTS ( SELECT
   FROM entitlement e
  WHERE ((e.publisher_tenant_id = index_shard.tenant_id) AND (e.corpus_id = index_shard.corpus_id)))))) AND (EXISTS ( SELECT
   FROM registered_tenant r
  WHERE (r.name = index_shard.tenant_id)))));
create policy tenant_rows on index_shard for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX index_shard_commons ON public.index_shard USING btree (shard_id) WHERE (shareability = 'public_safe'::text);
grant delete, insert, select, update on index_shard to svc_app;
grant delete, insert, select, update on index_shard to svc_operator;

create table index_tombstone (
  tenant_id text not null,
  shard_id uuid not null,
  chunk_id text not null,
  generation bigint not null,
  constraint index_tombstone_pkey PRIMARY KEY (tenant_id, shard_id, chunk_id)
);
alter table index_tombstone enable row level security, force row level security;
create policy erased_rows on index_tombstone for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on index_tombstone for all to svc_operator using (true) with check (true);
create policy shared_rows on index_tombstone for select to svc_app using ((EXISTS ( SELECT
   FROM index_shard s
  WHERE ((s.tenant_id = index_tombstone.tenant_id) AND (s.shard_id = index_tombstone.shard_id)))));
create policy tenant_rows on index_tombstone for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on index_tombstone to svc_app;
grant delete, insert, select, update on index_tombstone to svc_operator;

create table ingest (
  tenant_id text not null,
  ingest_id uuid not null,
  corpus_id text not null,
  doc_id text not null,
  version integer not null,
  status text not null default 'queued'::text,
  error text,
  attempts integer not null default 0,
  receipt_id uuid not null,
  accepted_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  completed_id uuid,
  constraint ingest_pkey PRIMARY KEY (tenant_id, ingest_id),
  constraint ingest_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'processing'::text, 'completed'::text, 'failed'::text])))
);
alter table ingest enable row level security, force row level security;
create policy erased_rows on ingest for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on ingest for all to svc_operator using (true) with check (true);
create policy tenant_rows on ingest for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX ingest_by_document ON public.ingest USING btree (tenant_id, corpus_id, doc_id, version);
grant delete, insert, select, update on ingest to svc_app;
grant delete, insert, select, update on ingest to svc_operator;

create table ingest_batch (
  tenant_id text not null,
  receipt_id uuid not null,
  ingests uuid[] not null,
  leaves bytea not null,
  constraint ingest_batch_pkey PRIMARY KEY (tenant_id, receipt_id),
  constraint ingest_batch_check CHECK ((length(leaves) = (32 * cardinality(ingests))))
);
alter table ingest_batch enable row level security, force row level security;
create policy erased_rows on ingest_batch for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on ingest_batch for all to svc_operator using (true) with check (true);
create policy tenant_rows on ingest_batch for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant insert, select on ingest_batch to svc_app;
grant insert, select on ingest_batch to svc_operator;

create table ingest_file (
  tenant_id text not null,
  ingest_id uuid not null,
  corpus_id text not null,
  doc_id text not null,
  file_name text,
  media_type text,
  title text,
  url text,
  shareability text not null,
  metadata jsonb,
  digest bytea not null,
  size integer not null,
  content bytea,
  status text not null default 'queued'::text,
  error text,
  accepted_by text not null,
  auth_mode text not null,
  agent_session text,
  accepted_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  readings integer not null default 0,
  constraint ingest_file_pkey PRIMARY KEY (tenant_id, ingest_id),
  constraint ingest_file_check CHECK (((content IS NULL) = (status = 'failed'::text))),
  constraint ingest_file_corpus_id_check CHECK (((length(corpus_id) >= 1) AND (length(corpus_id) <= 512))),
  constraint ingest_file_digest_check CHECK ((length(digest) = 32)),
  constraint ingest_file_doc_id_check CHECK (((length(doc_id) >= 1) AND (length(doc_id) <= 512))),
  constraint ingest_file_shareability_check CHECK ((shareability = ANY (ARRAY['owner_only'::text, 'entitled_only'::text, 'public_safe'::text]))),
  constraint ingest_file_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'processing'::text, 'failed'::text])))
);
alter table ingest_file enable row level security, force row level security;
create policy erased_rows on ingest_file for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on ingest_file for all to svc_operator using (true) with check (true);
create policy tenant_rows on ingest_file for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX ingest_file_waiting ON public.ingest_file USING btree (tenant_id, corpus_id, doc_id, ingest_id) WHERE (finished_at IS NULL);
grant delete, insert, select, update on ingest_file to svc_app;
grant delete, insert, select, update on ingest_file to svc_operator;

create table journal_entry (
  tenant_id text not null,
  home_id uuid not null,
  seq bigint not null,
  entry_id uuid not null,
  event_id text,
  type text not null,
  subject text not null,
  data jsonb not null,
  source text not null,
  actor text,
  occurred_at timestamp with time zone not null,
  recorded_at timestamp with time zone not null default clock_timestamp(),
  constraint journal_entry_pkey PRIMARY KEY (tenant_id, home_id, seq),
  constraint journal_entry_tenant_id_home_id_fkey FOREIGN KEY (tenant_id, home_id) REFERENCES agent_home(tenant_id, home_id),
  constraint journal_entry_seq_check CHECK ((seq > 0)),
  constraint journal_entry_type_check CHECK ((type ~ '^[a-z][a-z0-9_]{0,63}$'::text))
);
alter table journal_entry enable row level security, force row level security;
create policy erased_rows on journal_entry for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on journal_entry for all to svc_operator using (true) with check (true);
create policy tenant_rows on journal_entry for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE UNIQUE INDEX journal_entry_event ON public.journal_entry USING btree (tenant_id, home_id, event_id) WHERE (event_id IS NOT NULL);
CREATE INDEX journal_entry_time ON public.journal_entry USING btree (tenant_id, home_id, recorded_at);
CREATE INDEX journal_entry_type ON public.journal_entry USING btree (tenant_id, home_id, type, seq);
CREATE TRIGGER legal_hold BEFORE DELETE ON public.journal_entry FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''home:'' || r.home_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.journal_entry REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''home:'' || r.home_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.journal_entry FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, home_id, seq, type, subject, data ON public.journal_entry FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.home_id IS NOT NULL) AND (old.home_id IS DISTINCT FROM new.home_id)) OR ((old.seq IS NOT NULL) AND (old.seq IS DISTINCT FROM new.seq)) OR ((old.type IS NOT NULL) AND (old.type IS DISTINCT FROM new.type)) OR ((old.subject IS NOT NULL) AND (old.subject IS DISTINCT FROM new.subject)) OR ((old.data IS NOT NULL) AND (old.data IS DISTINCT FROM new.data)))) EXECUTE FUNCTION svc_keep_held('array[''home:'' || r.home_id]');
grant insert, select on journal_entry to svc_app;
grant insert, select on journal_entry to svc_operator;

create table lease (
  tenant_id text not null,
  fence bigint not null,
  kind text not null,
  subject text collate "C" not null,
  lease_id text collate "C" not null,
  mode text not null,
  holder_passport text not null,
  held_by text not null,
  reason text,
  status text not null default 'held'::text,
  acquired_at timestamp with time zone not null,
  renewed_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  release_commit_sha text,
  receipt_acquire uuid,
  receipt_end uuid,
  constraint lease_tenant_id_lease_id_key UNIQUE (tenant_id, lease_id),
  constraint lease_pkey PRIMARY KEY (tenant_id, fence),
  constraint lease_check CHECK (((ended_at IS NULL) = (status = 'held'::text))),
  constraint lease_kind_check CHECK ((kind = ANY (ARRAY['work'::text, 'path'::text]))),
  constraint lease_mode_check CHECK ((mode = ANY (ARRAY['read'::text, 'write'::text]))),
  constraint lease_status_check CHECK ((status = ANY (ARRAY['held'::text, 'released'::text, 'forced'::text, 'expired'::text])))
);
alter table lease enable row level security, force row level security;
create policy erased_rows on lease for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on lease for all to svc_operator using (true) with check (true);
create policy tenant_rows on lease for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX lease_due ON public.lease USING btree (expires_at) WHERE (status = 'held'::text);
CREATE INDEX lease_held ON public.lease USING btree (tenant_id, kind, subject) WHERE (status = 'held'::text);
CREATE INDEX lease_of_subject ON public.lease USING btree (tenant_id, kind, subject, fence);
CREATE UNIQUE INDEX lease_of_work ON public.lease USING btree (tenant_id, subject) WHERE ((status = 'held'::text) AND (kind = 'work'::text));
CREATE TRIGGER keep_from_revoked BEFORE INSERT ON public.lease FOR EACH ROW EXECUTE FUNCTION svc_keep_lease();
grant delete, insert, select, update on lease to svc_app;
grant delete, insert, select, update on lease to svc_operator;

create table ledger_account (
  tenant_id text not null,
  account_id text collate "C" not null,
  kind text not null,
  agent_id text,
  balance bigint not null default 0,
  opened_at timestamp with time zone not null default now(),
  constraint ledger_account_pkey PRIMARY KEY (tenant_id, account_id),
  constraint ledger_account_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint ledger_account_agent_id_check CHECK (((length(agent_id) >= 1) AND (length(agent_id) <= 512))),
  constraint ledger_account_check CHECK ((account_id = (kind || COALESCE((':'::text || agent_id), ''::text)))),
  constraint ledger_account_check1 CHECK (((kind = ANY (ARRAY['agent'::text, 'escrow'::text])) = (agent_id IS NOT NULL))),
  constraint ledger_account_kind_check CHECK ((kind = ANY (ARRAY['issuance'::text, 'allowance'::text, 'agent'::text, 'earnings'::text, 'escrow'::text, 'revenue'::text, 'platform'::text, 'discount'::text, 'clearing'::text]))),
  constraint ledger_no_overdraft CHECK (((balance >= 0) OR (kind = ANY (ARRAY['issuance'::text, 'clearing'::text]))))
);
alter table ledger_account enable row level security, force row level security;
create policy erased_rows on ledger_account for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy keeper_rows on ledger_account for all to svc_owner using (true) with check (true);
create policy operator_rows on ledger_account for all to svc_operator using (true) with check (true);
create policy tenant_rows on ledger_account for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE TRIGGER note_added AFTER INSERT ON public.ledger_account REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION svc_note_activity('credits');
grant select on ledger_account to svc_app;
grant select on ledger_account to svc_operator;

create table ledger_allowance (
  tenant_id text not null,
  month date not null,
  granted bigint not null,
  constraint ledger_allowance_pkey PRIMARY KEY (tenant_id, month, granted),
  constraint ledger_allowance_granted_check CHECK ((granted > 0)),
  constraint ledger_allowance_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric))
);
alter table ledger_allowance enable row level security, force row level security;
create policy erased_rows on ledger_allowance for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on ledger_allowance for all to svc_operator using (true) with check (true);
create policy tenant_rows on ledger_allowance for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant insert, select on ledger_allowance to svc_app;
grant delete, insert, select, update on ledger_allowance to svc_operator;

create table ledger_entry (
  tenant_id text not null,
  transfer_id uuid not null,
  entry_no smallint not null,
  account_id text collate "C" not null,
  amount bigint not null,
  constraint balanced TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint ledger_entry_pkey PRIMARY KEY (tenant_id, transfer_id, entry_no),
  constraint ledger_entry_tenant_id_account_id_fkey FOREIGN KEY (tenant_id, account_id) REFERENCES ledger_account(tenant_id, account_id),
  constraint ledger_entry_tenant_id_transfer_id_fkey FOREIGN KEY (tenant_id, transfer_id) REFERENCES ledger_transfer(tenant_id, transfer_id),
  constraint ledger_entry_amount_check CHECK ((amount <> 0))
);
alter table ledger_entry enable row level security, force row level security;
create policy erased_rows on ledger_entry for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy keeper_rows on ledger_entry for all to svc_owner using (true) with check (true);
create policy operator_rows on ledger_entry for all to svc_operator using (true) with check (true);
create policy tenant_rows on ledger_entry for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX ledger_entry_account ON public.ledger_entry USING btree (tenant_id, account_id);
CREATE CONSTRAINT TRIGGER balanced AFTER INSERT ON public.ledger_entry DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION svc_check_transfer();
CREATE TRIGGER keep_balances AFTER INSERT ON public.ledger_entry REFERENCING NEW TABLE AS posted FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_balances();
grant insert, select on ledger_entry to svc_app;
grant insert, select on ledger_entry to svc_operator;

create table ledger_transfer (
  tenant_id text not null,
  transfer_id uuid not null,
  reason text not null,
  reference text,
  principal text not null,
  agent_id text,
  note text,
  reverses uuid,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint balanced TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint ledger_transfer_pkey PRIMARY KEY (tenant_id, transfer_id),
  constraint ledger_transfer_tenant_id_reverses_fkey FOREIGN KEY (tenant_id, reverses) REFERENCES ledger_transfer(tenant_id, transfer_id),
  constraint ledger_transfer_agent_id_check CHECK (((length(agent_id) >= 1) AND (length(agent_id) <= 512))),
  constraint ledger_transfer_note_check CHECK ((length(note) <= 2000)),
  constraint ledger_transfer_principal_check CHECK (((length(principal) >= 1) AND (length(principal) <= 200))),
  constraint ledger_transfer_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 64))),
  constraint ledger_transfer_reference_check CHECK (((length(reference) >= 1) AND (length(reference) <= 200)))
);
alter table ledger_transfer enable row level security, force row level security;
create policy erased_rows on ledger_transfer for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy keeper_rows on ledger_transfer for all to svc_owner using (true) with check (true);
create policy operator_rows on ledger_transfer for all to svc_operator using (true) with check (true);
create policy tenant_rows on ledger_transfer for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX ledger_transfer_agent ON public.ledger_transfer USING btree (tenant_id, agent_id, created_at);
CREATE UNIQUE INDEX ledger_transfer_once ON public.ledger_transfer USING btree (tenant_id, reason, reference) WHERE (reference IS NOT NULL);
CREATE UNIQUE INDEX ledger_transfer_reversed_once ON public.ledger_transfer USING btree (tenant_id, reverses) WHERE (reverses IS NOT NULL);
CREATE CONSTRAINT TRIGGER balanced AFTER INSERT ON public.ledger_transfer DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION svc_check_transfer();
CREATE TRIGGER forget_note AFTER UPDATE OF note ON public.ledger_transfer FOR EACH ROW WHEN ((new.reason = 'spend'::text)) EXECUTE FUNCTION svc_forget_note();
CREATE TRIGGER note_added AFTER INSERT ON public.ledger_transfer REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION svc_note_activity('credits');
grant insert, select on ledger_transfer to svc_app;
grant insert, select on ledger_transfer to svc_operator;

create table legal_hold (
  tenant_id text not null,
  hold_id uuid not null,
  reason text not null,
  entity_prefixes text[] not null default '{}'::text[],
  incident_id text,
  placed_by text not null,
  placed_at timestamp with time zone not null default now(),
  place_receipt uuid not null,
  released_by text,
  released_at timestamp with time zone,
  release_receipt uuid,
  constraint legal_hold_pkey PRIMARY KEY (tenant_id, hold_id),
  constraint legal_hold_check CHECK ((num_nulls(released_by, released_at, release_receipt) = ANY (ARRAY[0, 3]))),
  constraint legal_hold_entity_prefixes_check CHECK ((array_position(entity_prefixes, ''::text) IS NULL)),
  constraint legal_hold_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 2000)))
);
alter table legal_hold enable row level security, force row level security;
create policy erased_rows on legal_hold for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy looked_at on legal_hold for select to svc_owner using (true);
create policy operator_rows on legal_hold for all to svc_operator using (true) with check (true);
create policy tenant_rows on legal_hold for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX legal_hold_active ON public.legal_hold USING btree (tenant_id) WHERE (released_at IS NULL);
CREATE INDEX legal_hold_incident ON public.legal_hold USING btree (tenant_id, incident_id) WHERE (incident_id IS NOT NULL);
CREATE TRIGGER keep BEFORE DELETE OR UPDATE ON public.legal_hold FOR EACH ROW EXECUTE FUNCTION svc_keep_hold();
CREATE TRIGGER keep_all BEFORE TRUNCATE ON public.legal_hold FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER sync_enter BEFORE INSERT OR UPDATE ON public.legal_hold FOR EACH STATEMENT EXECUTE FUNCTION svc_enter_holds();
CREATE TRIGGER sync_insert AFTER INSERT ON public.legal_hold REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION svc_mark_sync('holds', 'array[r.hold_id::text]', 'true');
CREATE TRIGGER sync_update AFTER UPDATE ON public.legal_hold REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION svc_mark_sync('holds', 'array[r.hold_id::text]', 'true');
grant insert, select, update on legal_hold to svc_app;
grant insert, select, update on legal_hold to svc_operator;

create table log_authority (
  url text not null,
  next_at timestamp with time zone not null,
  stamped_at timestamp with time zone,
  failed_at timestamp with time zone,
  reason text,
  constraint log_authority_pkey PRIMARY KEY (url)
);
grant insert, select, update on log_authority to svc_operator;

create table log_cosigned_head (
  only_one boolean not null default true,
  origin text not null,
  size bigint not null,
  root bytea not null,
  kid text not null,
  checkpoint text not null,
  cosignatures text not null,
  cosigned_at timestamp with time zone not null default now(),
  constraint log_cosigned_head_pkey PRIMARY KEY (only_one),
  constraint log_cosigned_head_kid_fkey FOREIGN KEY (kid) REFERENCES signing_key(kid),
  constraint log_cosigned_head_only_one_check CHECK (only_one)
);
grant select on log_cosigned_head to svc_app;
grant insert, select, update on log_cosigned_head to svc_operator;

create table log_epoch (
  epoch integer not null,
  origin text not null,
  name text not null,
  previous_origin text,
  restored_checkpoint text,
  last_known_checkpoint text,
  record bytea,
  constraint log_epoch_origin_key UNIQUE (origin),
  constraint log_epoch_pkey PRIMARY KEY (epoch),
  constraint log_epoch_epoch_check CHECK ((epoch >= 1))
);
grant select on log_epoch to svc_app;
grant insert, select on log_epoch to svc_operator;

create table log_head (
  only_one boolean not null default true,
  origin text not null,
  size bigint not null,
  root bytea not null,
  kid text not null,
  checkpoint text not null,
  signed_at timestamp with time zone not null default now(),
  constraint log_head_pkey PRIMARY KEY (only_one),
  constraint log_head_kid_fkey FOREIGN KEY (kid) REFERENCES signing_key(kid),
  constraint log_head_only_one_check CHECK (only_one)
);
grant select on log_head to svc_app;
grant insert, select, update on log_head to svc_operator;

create table log_leaf (
  leaf_index bigint not null,
  record_type text not null,
  record_digest bytea not null,
  constraint log_leaf_record_digest_key UNIQUE (record_digest),
  constraint log_leaf_pkey PRIMARY KEY (leaf_index)
);
grant select on log_leaf to svc_app;
grant insert, select on log_leaf to svc_operator;

create table log_pending (
  pending_id bigint not null,
  record_type text not null,
  record_digest bytea not null,
  constraint log_pending_pkey PRIMARY KEY (pending_id),
  constraint log_pending_record_digest_check CHECK ((length(record_digest) = 32)),
  constraint log_pending_record_type_check CHECK ((record_type = ANY (ARRAY['execution'::text, 'retrieval'::text])))
);
grant insert on log_pending to svc_app;
grant delete, insert, select on log_pending to svc_operator;

create table log_tile (
  level smallint not null,
  tile_index bigint not null,
  hashes bytea not null,
  constraint log_tile_pkey PRIMARY KEY (level, tile_index)
);
grant select on log_tile to svc_app;
grant insert, select, update on log_tile to svc_operator;

create table log_timestamp (
  origin text not null,
  size bigint not null,
  checkpoint text not null,
  token bytea not null,
  stamped_at timestamp with time zone not null,
  authority text not null,
  constraint log_timestamp_pkey PRIMARY KEY (origin, size)
);
grant delete, insert, select, update on log_timestamp to svc_operator;

create table log_witness (
  verifier_key text not null,
  origin text not null,
  size bigint not null,
  asked_at timestamp with time zone not null,
  signed_at timestamp with time zone,
  failed_at timestamp with time zone,
  reason text,
  disagrees boolean not null default false,
  constraint log_witness_pkey PRIMARY KEY (verifier_key)
);
grant insert, select, update on log_witness to svc_operator;

create table memory_case (
  tenant_id text not null,
  case_id uuid not null,
  task text not null,
  action text not null,
  outcome text not null,
  context text not null default ''::text,
  lesson text,
  success boolean not null,
  reward real not null,
  tags text[] not null default '{}'::text[],
  source_receipt text,
  screened json not null default '[]'::json,
  content_hash text not null,
  length integer not null,
  receipt_id uuid not null,
  recorded_by text not null,
  created_at timestamp with time zone not null default now(),
  seq bigint not null,
  quarantined boolean not null default false,
  constraint memory_case_pkey PRIMARY KEY (tenant_id, case_id),
  constraint memory_case_length_check CHECK ((length >= 0)),
  constraint memory_case_reward_check CHECK (((reward >= (0)::double precision) AND (reward <= (1)::double precision)))
);
alter table memory_case enable row level security, force row level security;
create policy erased_rows on memory_case for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on memory_case for all to svc_operator using (true) with check (true);
create policy tenant_rows on memory_case for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX memory_case_length ON public.memory_case USING btree (tenant_id) INCLUDE (length);
CREATE INDEX memory_case_seq ON public.memory_case USING btree (tenant_id, seq);
CREATE INDEX memory_case_source ON public.memory_case USING btree (tenant_id, source_receipt) WHERE (source_receipt IS NOT NULL);
CREATE TRIGGER drop_vectors AFTER DELETE ON public.memory_case REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION svc_drop_vectors('case', 'seq');
CREATE TRIGGER enter_rows BEFORE INSERT ON public.memory_case FOR EACH STATEMENT EXECUTE FUNCTION svc_enter_rows();
CREATE TRIGGER legal_hold BEFORE DELETE ON public.memory_case FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''case:'' || r.case_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.memory_case REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''case:'' || r.case_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.memory_case FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, case_id, task, action, outcome, context, lesson, tags, source_receipt ON public.memory_case FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.case_id IS NOT NULL) AND (old.case_id IS DISTINCT FROM new.case_id)) OR ((old.task IS NOT NULL) AND (old.task IS DISTINCT FROM new.task)) OR ((old.action IS NOT NULL) AND (old.action IS DISTINCT FROM new.action)) OR ((old.outcome IS NOT NULL) AND (old.outcome IS DISTINCT FROM new.outcome)) OR ((old.context IS NOT NULL) AND (old.context IS DISTINCT FROM new.context)) OR ((old.lesson IS NOT NULL) AND (old.lesson IS DISTINCT FROM new.lesson)) OR ((old.tags IS NOT NULL) AND (old.tags IS DISTINCT FROM new.tags)) OR ((old.source_receipt IS NOT NULL) AND (old.source_receipt IS DISTINCT FROM new.source_receipt)))) EXECUTE FUNCTION svc_keep_held('array[''case:'' || r.case_id]');
CREATE TRIGGER sync_delete AFTER DELETE ON public.memory_case REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION svc_mark_sync('cases', 'array[r.case_id::text]', 'true');
CREATE TRIGGER sync_enter BEFORE INSERT OR DELETE OR UPDATE ON public.memory_case FOR EACH STATEMENT EXECUTE FUNCTION svc_enter_sync();
CREATE TRIGGER sync_insert AFTER INSERT ON public.memory_case REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION svc_mark_sync('cases', 'array[r.case_id::text]', 'true');
CREATE TRIGGER sync_update AFTER UPDATE ON public.memory_case REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION svc_mark_sync('cases', 'array[r.case_id::text]', 'true');
grant delete, insert, select on memory_case to svc_app;
grant delete, insert, select on memory_case to svc_operator;

create table memory_case_term (
  tenant_id text not null,
  term text collate "C" not null,
  case_id uuid not null,
  frequency integer not null,
  constraint memory_case_term_pkey PRIMARY KEY (tenant_id, term, case_id),
  constraint memory_case_term_tenant_id_case_id_fkey FOREIGN KEY (tenant_id, case_id) REFERENCES memory_case(tenant_id, case_id) ON DELETE CASCADE,
  constraint memory_case_term_frequency_check CHECK ((frequency > 0))
);
alter table memory_case_term enable row level security, force row level security;
create policy erased_rows on memory_case_term for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on memory_case_term for all to svc_operator using (true) with check (true);
create policy tenant_rows on memory_case_term for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX memory_case_term_case ON public.memory_case_term USING btree (tenant_id, case_id);
grant delete, insert, select on memory_case_term to svc_app;
grant delete, insert, select on memory_case_term to svc_operator;

create table memory_vector (
  tenant_id text not null,
  space_id integer not null,
  kind text collate "C" not null,
  item_id text collate "C" not null,
  place bigint not null,
  visibility smallint not null default 0,
  owner text not null default ''::text,
  digest bytea,
  vector bytea,
  constraint memory_vector_pkey PRIMARY KEY (tenant_id, space_id, kind, item_id)
);
alter table memory_vector enable row level security, force row level security;
create policy erased_rows on memory_vector for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on memory_vector for all to svc_operator using (true) with check (true);
create policy tenant_rows on memory_vector for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX memory_vector_place ON public.memory_vector USING btree (tenant_id, space_id, kind, place);
grant delete, insert, select, update on memory_vector to svc_app;
grant delete, insert, select, update on memory_vector to svc_operator;

create table memory_vector_state (
  tenant_id text not null,
  space_id integer not null,
  kind text collate "C" not null,
  "position" bigint not null default 0,
  last_place bigint not null default 0,
  removals bigint not null default 0,
  constraint memory_vector_state_pkey PRIMARY KEY (tenant_id, space_id, kind)
);
alter table memory_vector_state enable row level security, force row level security;
create policy erased_rows on memory_vector_state for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on memory_vector_state for all to svc_operator using (true) with check (true);
create policy tenant_rows on memory_vector_state for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on memory_vector_state to svc_app;
grant delete, insert, select, update on memory_vector_state to svc_operator;

create table migration (
  id integer not null default nextval('migration_id_seq'::regclass),
  "timestamp" bigint not null,
  name character varying not null,
  constraint "PK_3043fc6b8af7c99b8b98830094f" PRIMARY KEY (id)
);
grant select on migration to svc_app;
grant select on migration to svc_operator;

create table observe_session (
  tenant_id text not null,
  session_id text collate "C" not null,
  opened_by text not null,
  auto_node text collate "C",
  opened_at timestamp with time zone not null default now(),
  archived_at timestamp with time zone,
  constraint observe_session_pkey PRIMARY KEY (tenant_id, session_id)
);
alter table observe_session enable row level security, force row level security;
create policy erased_rows on observe_session for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on observe_session for all to svc_operator using (true) with check (true);
create policy tenant_rows on observe_session for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX observe_session_age ON public.observe_session USING btree (opened_at) WHERE (archived_at IS NULL);
CREATE TRIGGER legal_hold BEFORE DELETE ON public.observe_session FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''session:'' || r.session_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.observe_session REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''session:'' || r.session_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.observe_session FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, session_id, archived_at ON public.observe_session FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.session_id IS NOT NULL) AND (old.session_id IS DISTINCT FROM new.session_id)) OR ((old.archived_at IS NULL) AND (new.archived_at > '-infinity'::timestamp with time zone)))) EXECUTE FUNCTION svc_keep_held('array[''session:'' || r.session_id]');
grant insert, select, update on observe_session to svc_app;
grant insert, select, update on observe_session to svc_operator;

create table observe_step (
  tenant_id text not null,
  session_id text collate "C" not null,
  node_id text collate "C" not null,
  parent_id text collate "C",
  path text collate "C" not null,
  depth smallint not null,
  label text not null,
  actor text not null,
  kind text not null,
  risk_class text not null,
  status text not null default 'open'::text,
  private boolean not null,
  owner text not null,
  ts_start timestamp with time zone not null,
  ts_end timestamp with time zone,
  inputs jsonb not null default '[]'::jsonb,
  outputs jsonb,
  enrich_ref text,
  reasoning_ref text,
  receipt_id text,
  mutation_receipt_id text,
  auto boolean not null default false,
  opened_at timestamp with time zone not null default now(),
  closed_at timestamp with time zone,
  open_receipt uuid,
  close_receipt uuid,
  open_digest bytea,
  close_digest bytea,
  salt bytea,
  constraint observe_step_tenant_id_session_id_path_key UNIQUE (tenant_id, session_id, path),
  constraint observe_step_pkey PRIMARY KEY (tenant_id, session_id, node_id),
  constraint observe_step_tenant_id_session_id_fkey FOREIGN KEY (tenant_id, session_id) REFERENCES observe_session(tenant_id, session_id),
  constraint observe_step_check CHECK (((status = 'open'::text) = (ts_end IS NULL))),
  constraint observe_step_check1 CHECK (((depth = 0) = (parent_id IS NULL))),
  constraint observe_step_depth_check CHECK (((depth >= 0) AND (depth <= 63))),
  constraint observe_step_kind_check CHECK ((kind = ANY (ARRAY['plan'::text, 'agent'::text, 'tool'::text, 'model'::text, 'retrieval'::text, 'memory'::text, 'decision'::text, 'human'::text, 'output'::text, 'other'::text]))),
  constraint observe_step_risk_class_check CHECK ((risk_class = ANY (ARRAY['minimal'::text, 'limited'::text, 'high'::text]))),
  constraint observe_step_salt_check CHECK ((length(salt) = 16)),
  constraint observe_step_status_check CHECK ((status = ANY (ARRAY['open'::text, 'ok'::text, 'error'::text, 'denied'::text, 'cancelled'::text])))
);
alter table observe_step enable row level security, force row level security;
create policy erased_rows on observe_step for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on observe_step for all to svc_operator using (true) with check (true);
create policy tenant_rows on observe_step for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX observe_step_children ON public.observe_step USING btree (tenant_id, session_id, parent_id, path);
CREATE INDEX observe_step_open ON public.observe_step USING btree (tenant_id, session_id, path) WHERE (status = 'open'::text);
CREATE INDEX observe_step_time ON public.observe_step USING btree (tenant_id, ts_start);
CREATE TRIGGER legal_hold BEFORE DELETE ON public.observe_step FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''session:'' || r.session_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.observe_step REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''session:'' || r.session_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.observe_step FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, session_id, node_id, label, actor, inputs, outputs, enrich_ref, reasoning_ref ON public.observe_step FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.session_id IS NOT NULL) AND (old.session_id IS DISTINCT FROM new.session_id)) OR ((old.node_id IS NOT NULL) AND (old.node_id IS DISTINCT FROM new.node_id)) OR ((old.label IS NOT NULL) AND (old.label IS DISTINCT FROM new.label)) OR ((old.actor IS NOT NULL) AND (old.actor IS DISTINCT FROM new.actor)) OR ((old.inputs IS NOT NULL) AND (old.inputs IS DISTINCT FROM new.inputs)) OR ((old.outputs IS NOT NULL) AND (old.outputs IS DISTINCT FROM new.outputs)) OR ((old.enrich_ref IS NOT NULL) AND (old.enrich_ref IS DISTINCT FROM new.enrich_ref)) OR ((old.reasoning_ref IS NOT NULL) AND (old.reasoning_ref IS DISTINCT FROM new.reasoning_ref)))) EXECUTE FUNCTION svc_keep_held('array[''session:'' || r.session_id]');
grant insert, select, update on observe_step to svc_app;
grant insert, select, update on observe_step to svc_operator;

create table orchestrator (
  tenant_id text not null,
  orchestrator_id text collate "C" not null,
  name text not null,
  state text not null default 'active'::text,
  created_by_passport text,
  assignee_passport text,
  created_by text not null,
  version integer not null default 1,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint orchestrator_pkey PRIMARY KEY (tenant_id, orchestrator_id),
  constraint orchestrator_state_check CHECK ((state = ANY (ARRAY['active'::text, 'paused'::text, 'done'::text, 'archived'::text]))),
  constraint orchestrator_version_check CHECK ((version > 0))
);
alter table orchestrator enable row level security, force row level security;
create policy erased_rows on orchestrator for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on orchestrator for all to svc_operator using (true) with check (true);
create policy tenant_rows on orchestrator for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX orchestrator_assignee ON public.orchestrator USING btree (tenant_id, assignee_passport, orchestrator_id) WHERE (assignee_passport IS NOT NULL);
grant insert, select, update on orchestrator to svc_app;
grant insert, select, update on orchestrator to svc_operator;

create table orchestrator_member (
  tenant_id text not null,
  orchestrator_id text collate "C" not null,
  ref text collate "C" not null,
  member_type text not null,
  added_by text not null,
  added_at timestamp with time zone not null default now(),
  constraint orchestrator_member_pkey PRIMARY KEY (tenant_id, orchestrator_id, ref),
  constraint orchestrator_member_tenant_id_orchestrator_id_fkey FOREIGN KEY (tenant_id, orchestrator_id) REFERENCES orchestrator(tenant_id, orchestrator_id),
  constraint orchestrator_member_type_check CHECK ((member_type = ANY (ARRAY['passport'::text, 'work'::text, 'orchestrator'::text])))
);
alter table orchestrator_member enable row level security, force row level security;
create policy erased_rows on orchestrator_member for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on orchestrator_member for all to svc_operator using (true) with check (true);
create policy tenant_rows on orchestrator_member for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX orchestrator_member_ref ON public.orchestrator_member USING btree (tenant_id, member_type, ref);
grant delete, insert, select on orchestrator_member to svc_app;
grant delete, insert, select on orchestrator_member to svc_operator;

create table outbox_cursor (
  sink text not null,
  transaction xid8 not null default '0'::xid8,
  "position" bigint not null default 0,
  moved_at timestamp with time zone not null default now(),
  constraint outbox_cursor_pkey PRIMARY KEY (sink)
);
grant delete, insert, select, update on outbox_cursor to svc_operator;

create table outbox_event (
  tenant_id text not null,
  event_id uuid not null,
  kind text not null,
  subject text not null,
  data jsonb not null,
  occurred_at timestamp with time zone not null default now(),
  transaction xid8 not null default pg_current_xact_id(),
  "position" bigint not null,
  constraint outbox_event_pkey PRIMARY KEY (tenant_id, event_id)
);
alter table outbox_event enable row level security, force row level security;
create policy erased_rows on outbox_event for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on outbox_event for all to svc_operator using (true) with check (true);
create policy tenant_rows on outbox_event for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX outbox_event_age ON public.outbox_event USING btree (occurred_at);
CREATE INDEX outbox_event_coordination ON public.outbox_event USING btree (tenant_id, transaction, "position") WHERE (split_part(kind, '.'::text, 1) = ANY (ARRAY['work'::text, 'gate'::text, 'lease'::text, 'punchcard'::text, 'intent'::text, 'orchestrator'::text]));
CREATE INDEX outbox_event_order ON public.outbox_event USING btree (transaction, "position");
CREATE INDEX outbox_event_subject ON public.outbox_event USING btree (tenant_id, subject, transaction, "position");
CREATE INDEX outbox_event_tenant ON public.outbox_event USING btree (tenant_id, transaction, "position");
CREATE INDEX outbox_event_work ON public.outbox_event USING btree (tenant_id, COALESCE((data ->> 'workId'::text), (data ->> 'work_id'::text), subject), transaction, "position") WHERE (split_part(kind, '.'::text, 1) = ANY (ARRAY['work'::text, 'gate'::text, 'lease'::text, 'punchcard'::text, 'intent'::text, 'orchestrator'::text]));
grant delete, insert, select, update on outbox_event to svc_app;
grant delete, insert, select, update on outbox_event to svc_operator;

create table outbox_restore (
  only_one boolean not null default true,
  "position" bigint not null,
  restored_at timestamp with time zone not null default clock_timestamp(),
  constraint outbox_restore_pkey PRIMARY KEY (only_one),
  constraint outbox_restore_only_one_check CHECK (only_one)
);
grant select on outbox_restore to svc_app;
grant delete, insert, select on outbox_restore to svc_operator;

create table outgoing_mail (
  tenant_id text not null,
  mail_id uuid not null,
  recipient text not null,
  subject text not null,
  body text not null,
  created_at timestamp with time zone not null default now(),
  constraint outgoing_mail_pkey PRIMARY KEY (tenant_id, mail_id),
  constraint outgoing_mail_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id)
);
alter table outgoing_mail enable row level security, force row level security;
create policy erased_rows on outgoing_mail for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on outgoing_mail for all to svc_operator using (true) with check (true);
create policy tenant_rows on outgoing_mail for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX outgoing_mail_age ON public.outgoing_mail USING btree (created_at);
grant delete, insert, select, update on outgoing_mail to svc_app;
grant delete, insert, select, update on outgoing_mail to svc_operator;

create table passport (
  tenant_id text not null,
  passport_id text collate "C" not null,
  display_name text not null,
  kind text not null,
  public_key text,
  fingerprint text,
  attested boolean not null default false,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  revoked_at timestamp with time zone,
  revoked_by text,
  revoke_reason text,
  constraint passport_pkey PRIMARY KEY (tenant_id, passport_id),
  constraint passport_check CHECK (((public_key IS NULL) = (fingerprint IS NULL))),
  constraint passport_check1 CHECK (((public_key IS NOT NULL) OR (NOT attested))),
  constraint passport_check2 CHECK (((revoked_at IS NULL) = (revoked_by IS NULL))),
  constraint passport_kind_check CHECK ((kind = ANY (ARRAY['human'::text, 'agent'::text, 'service'::text])))
);
alter table passport enable row level security, force row level security;
create policy erased_rows on passport for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on passport for all to svc_operator using (true) with check (true);
create policy tenant_rows on passport for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX passport_key ON public.passport USING btree (tenant_id, fingerprint) WHERE (fingerprint IS NOT NULL);
CREATE TRIGGER announce AFTER INSERT ON public.passport FOR EACH ROW EXECUTE FUNCTION svc_announce_passport();
CREATE TRIGGER end_principal AFTER UPDATE OF revoked_at ON public.passport FOR EACH ROW WHEN (((old.revoked_at IS NULL) AND (new.revoked_at IS NOT NULL))) EXECUTE FUNCTION svc_end_passport();
grant insert, select, update on passport to svc_app;
grant delete, select on passport to svc_operator;

create table passport_mint_request (
  tenant_id text not null,
  request_id uuid not null,
  passport_id text collate "C" not null,
  display_name text not null,
  kind text not null,
  public_key text,
  fingerprint text,
  attested boolean not null default false,
  why text,
  requested_passport text,
  requested_principal text not null,
  requested_at timestamp with time zone not null default now(),
  status text not null default 'pending'::text,
  decided_passport text,
  decided_principal text,
  decided_at timestamp with time zone,
  reason text,
  requested_subject text,
  constraint passport_mint_request_pkey PRIMARY KEY (tenant_id, request_id),
  constraint passport_mint_request_check CHECK (((public_key IS NULL) = (fingerprint IS NULL))),
  constraint passport_mint_request_check1 CHECK (((status = 'pending'::text) = (decided_at IS NULL))),
  constraint passport_mint_request_kind_check CHECK ((kind = ANY (ARRAY['human'::text, 'agent'::text, 'service'::text]))),
  constraint passport_mint_request_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text])))
);
alter table passport_mint_request enable row level security, force row level security;
create policy erased_rows on passport_mint_request for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on passport_mint_request for all to svc_operator using (true) with check (true);
create policy tenant_rows on passport_mint_request for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX passport_mint_request_list ON public.passport_mint_request USING btree (tenant_id, status, request_id);
grant insert, select, update on passport_mint_request to svc_app;
grant delete, select on passport_mint_request to svc_operator;

create table passport_presence (
  tenant_id text not null,
  passport_id text collate "C" not null,
  first_seen_at timestamp with time zone not null default now(),
  last_seen_at timestamp with time zone not null default now(),
  constraint passport_presence_pkey PRIMARY KEY (tenant_id, passport_id)
);
alter table passport_presence enable row level security, force row level security;
create policy erased_rows on passport_presence for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on passport_presence for all to svc_operator using (true) with check (true);
create policy tenant_rows on passport_presence for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX passport_presence_age ON public.passport_presence USING btree (last_seen_at);
grant delete, insert, select, update on passport_presence to svc_app;
grant delete, select on passport_presence to svc_operator;

create table payment_event (
  event_id text not null,
  received_at timestamp with time zone not null default now(),
  constraint payment_event_pkey PRIMARY KEY (event_id)
);
grant insert, select on payment_event to svc_app;
grant insert, select on payment_event to svc_operator;

create table peer_identity (
  only_one boolean not null default true,
  kid text not null,
  public_key bytea not null,
  since timestamp with time zone not null default now(),
  constraint peer_identity_pkey PRIMARY KEY (only_one),
  constraint peer_identity_only_one_check CHECK (only_one),
  constraint peer_identity_public_key_check CHECK ((length(public_key) = 32))
);
grant insert, select, update on peer_identity to svc_operator;

create table peer_log (
  log_id uuid not null,
  name text collate "C" not null,
  pinned text[] not null,
  statements text[] not null default '{}'::text[],
  witness_key text,
  url text,
  origin text collate "C",
  size bigint not null default 0,
  root bytea,
  checkpoint text,
  seen_at timestamp with time zone,
  cosignature text,
  cosigned_at timestamp with time zone,
  state text not null default 'ok'::text,
  reason text,
  since timestamp with time zone,
  contradiction text,
  forked_origin text,
  cleared_by text,
  cleared_at timestamp with time zone,
  asked_at timestamp with time zone,
  constraint peer_log_pkey PRIMARY KEY (log_id),
  constraint peer_log_check CHECK ((((origin IS NULL) = (root IS NULL)) AND ((origin IS NULL) = (checkpoint IS NULL)))),
  constraint peer_log_check1 CHECK (((state = 'ok'::text) = (since IS NULL))),
  constraint peer_log_pinned_check CHECK ((cardinality(pinned) > 0)),
  constraint peer_log_size_check CHECK ((size >= 0)),
  constraint peer_log_state_check CHECK ((state = ANY (ARRAY['ok'::text, 'split'::text, 'rolled_back'::text])))
);
CREATE INDEX peer_log_name ON public.peer_log USING btree (name);
CREATE INDEX peer_log_origin ON public.peer_log USING btree (origin);
grant select on peer_log to svc_app;
grant insert, select, update on peer_log to svc_operator;

create table peer_log_peer (
  tenant_id text not null,
  peer_id text collate "C" not null,
  log_id uuid not null,
  pinned_by text not null,
  pinned_at timestamp with time zone not null default now(),
  alarmed_since timestamp with time zone,
  incident_id uuid,
  constraint peer_log_peer_pkey PRIMARY KEY (tenant_id, peer_id),
  constraint peer_log_peer_log_id_fkey FOREIGN KEY (log_id) REFERENCES peer_log(log_id)
);
alter table peer_log_peer enable row level security, force row level security;
create policy erased_rows on peer_log_peer for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on peer_log_peer for all to svc_operator using (true) with check (true);
create policy tenant_rows on peer_log_peer for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX peer_log_peer_log ON public.peer_log_peer USING btree (log_id);
grant delete, insert, select, update on peer_log_peer to svc_app;
grant select on peer_log_peer to svc_operator;

create table plane (
  tenant_id text not null,
  project_id text collate "C" not null,
  plane_id text collate "C" not null,
  name text not null,
  description text,
  default_passport_id text,
  created_by text not null,
  version integer not null default 1,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  constraint plane_pkey PRIMARY KEY (tenant_id, project_id, plane_id),
  constraint plane_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES project(tenant_id, project_id),
  constraint plane_version_check CHECK ((version > 0))
);
alter table plane enable row level security, force row level security;
create policy erased_rows on plane for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on plane for all to svc_operator using (true) with check (true);
create policy tenant_rows on plane for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX plane_list ON public.plane USING btree (tenant_id, project_id, plane_id) WHERE (deleted_at IS NULL);
grant insert, select, update on plane to svc_app;
grant insert, select, update on plane to svc_operator;

create table primitive (
  tenant_id text not null,
  home_id uuid not null,
  kind text not null,
  name text collate "C" not null,
  version integer not null,
  retired boolean not null default false,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  constraint primitive_pkey PRIMARY KEY (tenant_id, home_id, kind, name),
  constraint primitive_tenant_id_home_id_fkey FOREIGN KEY (tenant_id, home_id) REFERENCES agent_home(tenant_id, home_id),
  constraint primitive_kind_check CHECK ((kind = ANY (ARRAY['goal'::text, 'preference'::text, 'constraint'::text, 'skill'::text]))),
  constraint primitive_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint primitive_version_check CHECK ((version > 0))
);
alter table primitive enable row level security, force row level security;
create policy erased_rows on primitive for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on primitive for all to svc_operator using (true) with check (true);
create policy tenant_rows on primitive for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE TRIGGER legal_hold BEFORE DELETE ON public.primitive FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''home:'' || r.home_id || ''/'' || r.kind || ''/'' || r.name]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.primitive REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''home:'' || r.home_id || ''/'' || r.kind || ''/'' || r.name]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.primitive FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, home_id, kind, name ON public.primitive FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.home_id IS NOT NULL) AND (old.home_id IS DISTINCT FROM new.home_id)) OR ((old.kind IS NOT NULL) AND (old.kind IS DISTINCT FROM new.kind)) OR ((old.name IS NOT NULL) AND (old.name IS DISTINCT FROM new.name)))) EXECUTE FUNCTION svc_keep_held('array[''home:'' || r.home_id || ''/'' || r.kind || ''/'' || r.name]');
grant delete, insert, select, update on primitive to svc_app;
grant delete, insert, select, update on primitive to svc_operator;

create table primitive_pin (
  tenant_id text not null,
  home_id uuid not null,
  kind text not null,
  name text collate "C" not null,
  version integer not null,
  ordinal integer not null,
  chunk_id text,
  owner_tenant_id text,
  corpus_id text,
  doc_id text,
  doc_version integer,
  content text,
  content_hash bytea,
  answer_id text,
  answer_version integer,
  note text,
  pinned_at timestamp with time zone not null,
  constraint primitive_pin_pkey PRIMARY KEY (tenant_id, home_id, kind, name, version, ordinal),
  constraint primitive_pin_tenant_id_home_id_kind_name_version_fkey FOREIGN KEY (tenant_id, home_id, kind, name, version) REFERENCES primitive_version(tenant_id, home_id, kind, name, version),
  constraint primitive_pin_check CHECK ((num_nonnulls(chunk_id, owner_tenant_id, corpus_id, doc_id, doc_version, content, content_hash) = ANY (ARRAY[0, 7]))),
  constraint primitive_pin_check1 CHECK ((num_nonnulls(answer_id, answer_version) = ANY (ARRAY[0, 2]))),
  constraint primitive_pin_check2 CHECK (((chunk_id IS NULL) <> (answer_id IS NULL)))
);
alter table primitive_pin enable row level security, force row level security;
create policy erased_rows on primitive_pin for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on primitive_pin for all to svc_operator using (true) with check (true);
create policy tenant_rows on primitive_pin for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX primitive_pin_answer ON public.primitive_pin USING btree (tenant_id, answer_id) WHERE (answer_id IS NOT NULL);
CREATE INDEX primitive_pin_chunk ON public.primitive_pin USING btree (tenant_id, chunk_id) WHERE (chunk_id IS NOT NULL);
CREATE TRIGGER legal_hold BEFORE DELETE ON public.primitive_pin FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''home:'' || r.home_id || ''/'' || r.kind || ''/'' || r.name]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.primitive_pin REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''home:'' || r.home_id || ''/'' || r.kind || ''/'' || r.name]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.primitive_pin FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, home_id, kind, name, version, ordinal, content, content_hash, note ON public.primitive_pin FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.home_id IS NOT NULL) AND (old.home_id IS DISTINCT FROM new.home_id)) OR ((old.kind IS NOT NULL) AND (old.kind IS DISTINCT FROM new.kind)) OR ((old.name IS NOT NULL) AND (old.name IS DISTINCT FROM new.name)) OR ((old.version IS NOT NULL) AND (old.version IS DISTINCT FROM new.version)) OR ((old.ordinal IS NOT NULL) AND (old.ordinal IS DISTINCT FROM new.ordinal)) OR ((old.content IS NOT NULL) AND (old.content IS DISTINCT FROM new.content)) OR ((old.content_hash IS NOT NULL) AND (old.content_hash IS DISTINCT FROM new.content_hash)) OR ((old.note IS NOT NULL) AND (old.note IS DISTINCT FROM new.note)))) EXECUTE FUNCTION svc_keep_held('array[''home:'' || r.home_id || ''/'' || r.kind || ''/'' || r.name]');
grant insert, select on primitive_pin to svc_app;
grant insert, select on primitive_pin to svc_operator;

create table primitive_version (
  tenant_id text not null,
  home_id uuid not null,
  kind text not null,
  name text collate "C" not null,
  version integer not null,
  content_text text,
  content_data jsonb,
  retired boolean not null,
  reason text,
  recorded_by text not null,
  recorded_at timestamp with time zone not null default now(),
  constraint primitive_version_pkey PRIMARY KEY (tenant_id, home_id, kind, name, version),
  constraint primitive_version_tenant_id_home_id_kind_name_fkey FOREIGN KEY (tenant_id, home_id, kind, name) REFERENCES primitive(tenant_id, home_id, kind, name),
  constraint primitive_version_check1 CHECK (((content_text IS NOT NULL) OR (content_data IS NOT NULL)))
);
alter table primitive_version enable row level security, force row level security;
create policy erased_rows on primitive_version for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on primitive_version for all to svc_operator using (true) with check (true);
create policy tenant_rows on primitive_version for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE TRIGGER legal_hold BEFORE DELETE ON public.primitive_version FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''home:'' || r.home_id || ''/'' || r.kind || ''/'' || r.name]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.primitive_version REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''home:'' || r.home_id || ''/'' || r.kind || ''/'' || r.name]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.primitive_version FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, home_id, kind, name, version, content_text, content_data, reason ON public.primitive_version FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.home_id IS NOT NULL) AND (old.home_id IS DISTINCT FROM new.home_id)) OR ((old.kind IS NOT NULL) AND (old.kind IS DISTINCT FROM new.kind)) OR ((old.name IS NOT NULL) AND (old.name IS DISTINCT FROM new.name)) OR ((old.version IS NOT NULL) AND (old.version IS DISTINCT FROM new.version)) OR ((old.content_text IS NOT NULL) AND (old.content_text IS DISTINCT FROM new.content_text)) OR ((old.content_data IS NOT NULL) AND (old.content_data IS DISTINCT FROM new.content_data)) OR ((old.reason IS NOT NULL) AND (old.reason IS DISTINCT FROM new.reason)))) EXECUTE FUNCTION svc_keep_held('array[''home:'' || r.home_id || ''/'' || r.kind || ''/'' || r.name]');
grant insert, select on primitive_version to svc_app;
grant insert, select on primitive_version to svc_operator;

create table principal_end (
  tenant_id text not null,
  principal text not null,
  ended_at timestamp with time zone not null default clock_timestamp(),
  end_id bigint not null,
  reason text not null,
  constraint principal_end_pkey PRIMARY KEY (tenant_id, principal, end_id)
);
alter table principal_end enable row level security, force row level security;
create policy erased_rows on principal_end for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on principal_end for all to svc_operator using (true) with check (true);
create policy tenant_rows on principal_end for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE TRIGGER announce AFTER INSERT ON public.principal_end FOR EACH ROW EXECUTE FUNCTION svc_announce_principal_end();
CREATE TRIGGER end_approvals AFTER INSERT ON public.principal_end FOR EACH ROW EXECUTE FUNCTION svc_end_approvals();
CREATE TRIGGER end_invitations AFTER INSERT ON public.principal_end FOR EACH ROW EXECUTE FUNCTION svc_end_invitations();
CREATE TRIGGER end_passport AFTER INSERT ON public.principal_end FOR EACH ROW WHEN ((new.principal ~~ 'passport:%'::text)) EXECUTE FUNCTION svc_end_held();
CREATE TRIGGER end_sessions AFTER INSERT ON public.principal_end FOR EACH ROW EXECUTE FUNCTION svc_end_sessions();
CREATE TRIGGER end_watches AFTER INSERT ON public.principal_end FOR EACH ROW EXECUTE FUNCTION svc_end_watches();
grant delete, insert, select, update on principal_end to svc_app;
grant delete, insert, select, update on principal_end to svc_operator;

create table project (
  tenant_id text not null,
  project_id text collate "C" not null,
  name text not null,
  default_passport_id text not null,
  planning_target text,
  archived boolean not null default false,
  is_default boolean not null default false,
  created_by text not null,
  version integer not null default 1,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  constraint project_pkey PRIMARY KEY (tenant_id, project_id),
  constraint project_check CHECK (((deleted_at IS NULL) OR archived)),
  constraint project_check1 CHECK ((NOT (archived AND is_default))),
  constraint project_version_check CHECK ((version > 0))
);
alter table project enable row level security, force row level security;
create policy erased_rows on project for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on project for all to svc_operator using (true) with check (true);
create policy tenant_rows on project for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE UNIQUE INDEX project_default ON public.project USING btree (tenant_id) WHERE is_default;
CREATE INDEX project_list ON public.project USING btree (tenant_id, project_id) WHERE (deleted_at IS NULL);
grant insert, select, update on project to svc_app;
grant insert, select, update on project to svc_operator;

create table project_passport (
  tenant_id text not null,
  project_id text collate "C" not null,
  plane_id text collate "C" not null default ''::text,
  passport_id text collate "C" not null,
  role text not null,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  constraint project_passport_pkey PRIMARY KEY (tenant_id, project_id, plane_id, passport_id),
  constraint project_passport_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES project(tenant_id, project_id)
);
alter table project_passport enable row level security, force row level security;
create policy erased_rows on project_passport for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on project_passport for all to svc_operator using (true) with check (true);
create policy tenant_rows on project_passport for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX project_passport_of ON public.project_passport USING btree (tenant_id, passport_id);
grant delete, insert, select, update on project_passport to svc_app;
grant delete, insert, select, update on project_passport to svc_operator;

create table project_repo (
  tenant_id text not null,
  project_id text collate "C" not null,
  repo text collate "C" not null,
  plane_id text collate "C",
  role text,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  constraint project_repo_pkey PRIMARY KEY (tenant_id, project_id, repo),
  constraint project_repo_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES project(tenant_id, project_id),
  constraint project_repo_tenant_id_project_id_plane_id_fkey FOREIGN KEY (tenant_id, project_id, plane_id) REFERENCES plane(tenant_id, project_id, plane_id)
);
alter table project_repo enable row level security, force row level security;
create policy erased_rows on project_repo for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on project_repo for all to svc_operator using (true) with check (true);
create policy tenant_rows on project_repo for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX project_repo_of ON public.project_repo USING btree (tenant_id, repo);
CREATE INDEX project_repo_plane ON public.project_repo USING btree (tenant_id, project_id, plane_id, repo) WHERE (plane_id IS NOT NULL);
grant delete, insert, select, update on project_repo to svc_app;
grant delete, insert, select, update on project_repo to svc_operator;

create table project_tenant (
  tenant_id text not null,
  project_id text collate "C" not null,
  plane_id text collate "C" not null default ''::text,
  linked_tenant_id text collate "C" not null,
  default_passport_id text,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  constraint project_tenant_pkey PRIMARY KEY (tenant_id, project_id, plane_id, linked_tenant_id),
  constraint project_tenant_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES project(tenant_id, project_id)
);
alter table project_tenant enable row level security, force row level security;
create policy erased_rows on project_tenant for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on project_tenant for all to svc_operator using (true) with check (true);
create policy tenant_rows on project_tenant for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on project_tenant to svc_app;
grant delete, insert, select, update on project_tenant to svc_operator;

create table proof_job (
  tenant_id text not null,
  job_id uuid not null,
  agent_id text not null,
  mode text not null,
  subject_type text not null,
  subject_id text not null,
  subject_version integer,
  target jsonb not null,
  metadata jsonb,
  extra jsonb not null,
  status text not null default 'queued'::text,
  verdict text not null default 'pending'::text,
  checks jsonb not null default '[]'::jsonb,
  relies_on jsonb not null default '[]'::jsonb,
  chunk_count integer,
  receipt_id uuid,
  error text,
  requested_by text not null,
  auth_mode text not null,
  created_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  charged_mode text,
  drift_categories text[] not null default '{}'::text[],
  constraint proof_job_pkey PRIMARY KEY (tenant_id, job_id),
  constraint proof_job_charged_mode_check CHECK ((charged_mode = ANY (ARRAY['light'::text, 'verified'::text, 'audit'::text]))),
  constraint proof_job_mode_check CHECK ((mode = ANY (ARRAY['light'::text, 'verified'::text, 'audit'::text]))),
  constraint proof_job_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text]))),
  constraint proof_job_subject_type_check CHECK ((subject_type = ANY (ARRAY['answer'::text, 'document'::text, 'chunk'::text, 'retrieval'::text]))),
  constraint proof_job_verdict_check CHECK ((verdict = ANY (ARRAY['pending'::text, 'holds'::text, 'unknown'::text, 'drifted'::text, 'unavailable'::text, 'broken'::text]))) NOT VALID
);
alter table proof_job enable row level security, force row level security;
create policy erased_rows on proof_job for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on proof_job for all to svc_operator using (true) with check (true);
create policy tenant_rows on proof_job for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX proof_job_agent ON public.proof_job USING btree (tenant_id, agent_id, finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX proof_job_receipt ON public.proof_job USING btree (tenant_id, receipt_id) WHERE (receipt_id IS NOT NULL);
CREATE INDEX proof_job_subject ON public.proof_job USING btree (tenant_id, subject_type, md5(subject_id));
CREATE TRIGGER legal_hold BEFORE DELETE ON public.proof_job FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''proof:'' || r.job_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.proof_job REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''proof:'' || r.job_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.proof_job FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, job_id, target, metadata ON public.proof_job FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.job_id IS NOT NULL) AND (old.job_id IS DISTINCT FROM new.job_id)) OR ((old.target IS NOT NULL) AND (old.target IS DISTINCT FROM new.target)) OR ((old.metadata IS NOT NULL) AND (old.metadata IS DISTINCT FROM new.metadata)))) EXECUTE FUNCTION svc_keep_held('array[''proof:'' || r.job_id]');
CREATE TRIGGER note_added AFTER INSERT ON public.proof_job REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION svc_note_activity('proof');
grant delete, insert, select, update on proof_job to svc_app;
grant delete, insert, select, update on proof_job to svc_operator;

create table proof_job_chunk (
  tenant_id text not null,
  job_id uuid not null,
  ordinal integer not null,
  chunk_id text not null,
  owner_tenant_id text not null,
  corpus_id text not null,
  doc_id text not null,
  doc_version integer not null,
  title text,
  url text,
  content text,
  content_hash bytea not null,
  quote text,
  recorded_rank integer,
  rank integer,
  score double precision,
  checks jsonb not null,
  constraint proof_job_chunk_pkey PRIMARY KEY (tenant_id, job_id, ordinal),
  constraint proof_job_chunk_tenant_id_job_id_fkey FOREIGN KEY (tenant_id, job_id) REFERENCES proof_job(tenant_id, job_id)
);
alter table proof_job_chunk enable row level security, force row level security;
create policy erased_rows on proof_job_chunk for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on proof_job_chunk for all to svc_operator using (true) with check (true);
create policy tenant_rows on proof_job_chunk for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX proof_job_chunk_id ON public.proof_job_chunk USING btree (tenant_id, chunk_id);
CREATE TRIGGER legal_hold BEFORE DELETE ON public.proof_job_chunk FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''proof:'' || r.job_id, ''document:'' || r.corpus_id || ''/'' || r.doc_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.proof_job_chunk REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''proof:'' || r.job_id, ''document:'' || r.corpus_id || ''/'' || r.doc_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.proof_job_chunk FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, job_id, ordinal, content, content_hash, quote ON public.proof_job_chunk FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.job_id IS NOT NULL) AND (old.job_id IS DISTINCT FROM new.job_id)) OR ((old.ordinal IS NOT NULL) AND (old.ordinal IS DISTINCT FROM new.ordinal)) OR ((old.content IS NOT NULL) AND (old.content IS DISTINCT FROM new.content)) OR ((old.content_hash IS NOT NULL) AND (old.content_hash IS DISTINCT FROM new.content_hash)) OR ((old.quote IS NOT NULL) AND (old.quote IS DISTINCT FROM new.quote)))) EXECUTE FUNCTION svc_keep_held('array[''proof:'' || r.job_id, ''document:'' || r.corpus_id || ''/'' || r.doc_id]');
grant delete, insert, select, update on proof_job_chunk to svc_app;
grant delete, insert, select, update on proof_job_chunk to svc_operator;

create table proof_upstream_claim (
  tenant_id text not null,
  kind text not null,
  id text not null,
  claimed_at timestamp with time zone not null default now(),
  constraint proof_upstream_claim_pkey PRIMARY KEY (tenant_id, kind, id),
  constraint proof_upstream_claim_kind_check CHECK ((kind = ANY (ARRAY['job'::text, 'receipt'::text, 'answer'::text, 'artefact'::text, 'agent'::text])))
);
alter table proof_upstream_claim enable row level security, force row level security;
create policy erased_rows on proof_upstream_claim for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on proof_upstream_claim for all to svc_operator using (true) with check (true);
create policy tenant_rows on proof_upstream_claim for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX proof_upstream_claim_id ON public.proof_upstream_claim USING btree (kind, id);
grant delete, insert, select, update on proof_upstream_claim to svc_app;
grant delete, insert, select, update on proof_upstream_claim to svc_operator;

create table quota_window (
  tenant_id text not null,
  principal text not null,
  surface text not null,
  window_start timestamp with time zone not null,
  window_seconds integer not null,
  used integer not null,
  constraint quota_window_pkey PRIMARY KEY (tenant_id, principal, surface, window_seconds, window_start),
  constraint quota_window_used_check CHECK ((used > 0)),
  constraint quota_window_window_seconds_check CHECK ((window_seconds > 0))
);
alter table quota_window enable row level security, force row level security;
create policy erased_rows on quota_window for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on quota_window for all to svc_operator using (true) with check (true);
create policy tenant_rows on quota_window for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX quota_window_age ON public.quota_window USING btree (window_start);
grant delete, insert, select, update on quota_window to svc_app;
grant delete, select on quota_window to svc_operator;

create table receipt (
  tenant_id text not null,
  receipt_id uuid not null,
  stream text not null,
  seq bigint not null,
  prev_hash bytea,
  payload_hash bytea not null,
  kind text not null,
  actor text not null,
  subject text not null,
  occurred_at timestamp with time zone not null,
  cose bytea not null,
  ingested_at timestamp with time zone default clock_timestamp(),
  session text,
  constraint receipt_tenant_id_stream_seq_key UNIQUE (tenant_id, stream, seq),
  constraint receipt_pkey PRIMARY KEY (tenant_id, receipt_id),
  constraint receipt_seq_check CHECK ((seq >= 1)),
  constraint receipt_session_check CHECK ((session <> ''::text))
);
alter table receipt enable row level security, force row level security;
create policy erased_rows on receipt for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on receipt for all to svc_operator using (true) with check (true);
create policy tenant_rows on receipt for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX receipt_actor ON public.receipt USING btree (tenant_id, actor, occurred_at);
CREATE INDEX receipt_kind ON public.receipt USING btree (tenant_id, kind, occurred_at);
CREATE INDEX receipt_session ON public.receipt USING btree (tenant_id, session, occurred_at) WHERE (session IS NOT NULL);
CREATE INDEX receipt_subject ON public.receipt USING btree (tenant_id, subject, stream, seq);
CREATE INDEX receipt_subject_time ON public.receipt USING btree (tenant_id, subject, occurred_at);
CREATE INDEX receipt_time ON public.receipt USING btree (tenant_id, occurred_at);
CREATE TRIGGER tally AFTER INSERT ON public.receipt REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION svc_tally_receipts();
grant insert, select on receipt to svc_app;
grant insert, select on receipt to svc_operator;

create table receipt_head (
  tenant_id text not null,
  stream text not null,
  seq bigint not null,
  payload_hash bytea,
  constraint receipt_head_pkey PRIMARY KEY (tenant_id, stream)
);
alter table receipt_head enable row level security, force row level security;
create policy erased_rows on receipt_head for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on receipt_head for all to svc_operator using (true) with check (true);
create policy tenant_rows on receipt_head for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant insert, select, update on receipt_head to svc_app;
grant insert, select, update on receipt_head to svc_operator;

create table receipt_tally (
  tenant_id text not null,
  session text not null,
  family text not null,
  kind text not null,
  principal text not null,
  receipts bigint not null,
  constraint receipt_tally_family_check CHECK ((family = ANY (ARRAY['execution'::text, 'retrieval'::text])))
);
alter table receipt_tally enable row level security, force row level security;
create policy erased_rows on receipt_tally for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on receipt_tally for all to svc_operator using (true) with check (true);
create policy tenant_rows on receipt_tally for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX receipt_tally_session ON public.receipt_tally USING btree (tenant_id, session);
grant delete, insert, select, update on receipt_tally to svc_app;
grant delete, insert, select, update on receipt_tally to svc_operator;

create table registered_tenant (
  name text not null,
  constraint registered_tenant_pkey PRIMARY KEY (name),
  constraint registered_tenant_name_fkey FOREIGN KEY (name) REFERENCES tenant(tenant_id) ON UPDATE CASCADE ON DELETE CASCADE
);
grant select on registered_tenant to svc_app;
grant select on registered_tenant to svc_operator;

create table relation (
  tenant_id text not null,
  from_id bigint not null,
  to_id bigint not null,
  edge_type text collate "C" not null,
  confidence real not null,
  created_at_micros bigint not null,
  updated_at_micros bigint not null,
  constraint relation_pkey PRIMARY KEY (tenant_id, from_id, edge_type, to_id),
  constraint relation_confidence_check CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
  constraint relation_from_id_check CHECK (((from_id >= 0) AND (from_id <= '4294967295'::bigint))),
  constraint relation_to_id_check CHECK (((to_id >= 0) AND (to_id <= '4294967295'::bigint)))
);
alter table relation enable row level security, force row level security;
create policy erased_rows on relation for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on relation for all to svc_operator using (true) with check (true);
create policy tenant_rows on relation for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX relation_best ON public.relation USING btree (tenant_id, from_id, confidence DESC, edge_type, to_id);
CREATE INDEX relation_best_of_type ON public.relation USING btree (tenant_id, from_id, edge_type, confidence DESC, to_id);
CREATE INDEX relation_incoming ON public.relation USING btree (tenant_id, to_id, edge_type, from_id);
CREATE TRIGGER legal_hold BEFORE DELETE ON public.relation FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''artifact:'' || r.from_id, ''artifact:'' || r.to_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.relation REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''artifact:'' || r.from_id, ''artifact:'' || r.to_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.relation FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, from_id, to_id, edge_type, confidence ON public.relation FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.from_id IS NOT NULL) AND (old.from_id IS DISTINCT FROM new.from_id)) OR ((old.to_id IS NOT NULL) AND (old.to_id IS DISTINCT FROM new.to_id)) OR ((old.edge_type IS NOT NULL) AND (old.edge_type IS DISTINCT FROM new.edge_type)) OR ((old.confidence IS NOT NULL) AND (old.confidence IS DISTINCT FROM new.confidence)))) EXECUTE FUNCTION svc_keep_held('array[''artifact:'' || r.from_id, ''artifact:'' || r.to_id]');
CREATE TRIGGER sync_delete AFTER DELETE ON public.relation REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION svc_mark_sync('relations', 'array[r.from_id::text, r.edge_type, r.to_id::text]', 'true');
CREATE TRIGGER sync_enter BEFORE INSERT OR DELETE OR UPDATE ON public.relation FOR EACH STATEMENT EXECUTE FUNCTION svc_enter_sync();
CREATE TRIGGER sync_insert AFTER INSERT ON public.relation REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION svc_mark_sync('relations', 'array[r.from_id::text, r.edge_type, r.to_id::text]', 'true');
CREATE TRIGGER sync_update AFTER UPDATE ON public.relation REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION svc_mark_sync('relations', 'array[r.from_id::text, r.edge_type, r.to_id::text]', 'true');
grant delete, insert, select, update on relation to svc_app;
grant delete, insert, select, update on relation to svc_operator;

create table replicated_segment (
  tenant_id text not null,
  node_id text collate "C" not null,
  segment_seq bigint not null,
  corpus_id text not null,
  frame_count integer not null,
  frames bytea not null,
  digest bytea not null,
  previous bytea,
  sealed_at timestamp with time zone not null,
  received_by text not null,
  received_at timestamp with time zone not null default now(),
  receipt_id uuid not null,
  constraint replicated_segment_pkey PRIMARY KEY (tenant_id, node_id, segment_seq),
  constraint replicated_segment_check CHECK (((previous IS NULL) = (segment_seq = 1))),
  constraint replicated_segment_digest_check CHECK ((length(digest) = 32)),
  constraint replicated_segment_frame_count_check CHECK ((frame_count >= 1)),
  constraint replicated_segment_segment_seq_check CHECK ((segment_seq >= 1))
);
alter table replicated_segment enable row level security, force row level security;
create policy erased_rows on replicated_segment for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on replicated_segment for all to svc_operator using (true) with check (true);
create policy tenant_rows on replicated_segment for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE TRIGGER legal_hold BEFORE DELETE ON public.replicated_segment FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''document:'' || r.corpus_id || ''/''] || array(
  select prefix from public.legal_hold h, unnest(h.entity_prefixes) prefix
  where h.tenant_id = r.tenant_id and h.released_at is null and starts_with(prefix, ''document:'' || r.corpus_id || ''/''))');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.replicated_segment REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''document:'' || r.corpus_id || ''/''] || array(
  select prefix from public.legal_hold h, unnest(h.entity_prefixes) prefix
  where h.tenant_id = r.tenant_id and h.released_at is null and starts_with(prefix, ''document:'' || r.corpus_id || ''/''))');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.replicated_segment FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, node_id, segment_seq, frames, digest ON public.replicated_segment FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.node_id IS NOT NULL) AND (old.node_id IS DISTINCT FROM new.node_id)) OR ((old.segment_seq IS NOT NULL) AND (old.segment_seq IS DISTINCT FROM new.segment_seq)) OR ((old.frames IS NOT NULL) AND (old.frames IS DISTINCT FROM new.frames)) OR ((old.digest IS NOT NULL) AND (old.digest IS DISTINCT FROM new.digest)))) EXECUTE FUNCTION svc_keep_held('array[''document:'' || r.corpus_id || ''/''] || array(
  select prefix from public.legal_hold h, unnest(h.entity_prefixes) prefix
  where h.tenant_id = r.tenant_id and h.released_at is null and starts_with(prefix, ''document:'' || r.corpus_id || ''/''))');
grant insert, select on replicated_segment to svc_app;
grant insert, select on replicated_segment to svc_operator;

create table result_envelope (
  tenant_id text not null,
  job_id text not null,
  artefact_id text not null,
  schema_version integer not null,
  schema text not null,
  purpose_tag text,
  key_id text not null,
  platform_signature bytea not null,
  content_hash bytea not null,
  payload bytea not null,
  passport_fpr text,
  credit_spend_receipt text,
  companion_artifacts json not null,
  counts json not null,
  receipt_id uuid not null,
  imported_by text not null,
  imported_at timestamp with time zone not null,
  constraint result_envelope_pkey PRIMARY KEY (tenant_id, job_id),
  constraint result_envelope_content_hash_check CHECK ((length(content_hash) = 32)),
  constraint result_envelope_platform_signature_check CHECK ((length(platform_signature) = 64))
);
alter table result_envelope enable row level security, force row level security;
create policy erased_rows on result_envelope for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on result_envelope for all to svc_operator using (true) with check (true);
create policy tenant_rows on result_envelope for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE TRIGGER legal_hold BEFORE DELETE ON public.result_envelope FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''envelope:'' || r.job_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.result_envelope REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''envelope:'' || r.job_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.result_envelope FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, job_id, platform_signature, content_hash, payload ON public.result_envelope FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.job_id IS NOT NULL) AND (old.job_id IS DISTINCT FROM new.job_id)) OR ((old.platform_signature IS NOT NULL) AND (old.platform_signature IS DISTINCT FROM new.platform_signature)) OR ((old.content_hash IS NOT NULL) AND (old.content_hash IS DISTINCT FROM new.content_hash)) OR ((old.payload IS NOT NULL) AND (old.payload IS DISTINCT FROM new.payload)))) EXECUTE FUNCTION svc_keep_held('array[''envelope:'' || r.job_id]');
grant insert, select on result_envelope to svc_app;
grant insert, select on result_envelope to svc_operator;

create table retrieval (
  tenant_id text not null,
  retrieval_id uuid not null,
  agent_id text not null,
  lane text not null,
  request jsonb not null,
  results jsonb not null,
  receipt_id text,
  execution_receipt_id uuid,
  created_at timestamp with time zone not null default now(),
  constraint retrieval_pkey PRIMARY KEY (tenant_id, retrieval_id)
);
alter table retrieval enable row level security, force row level security;
create policy erased_rows on retrieval for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on retrieval for all to svc_operator using (true) with check (true);
create policy tenant_rows on retrieval for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE TRIGGER legal_hold BEFORE DELETE ON public.retrieval FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''retrieval:'' || r.retrieval_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.retrieval REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''retrieval:'' || r.retrieval_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.retrieval FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, retrieval_id, request, results ON public.retrieval FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.retrieval_id IS NOT NULL) AND (old.retrieval_id IS DISTINCT FROM new.retrieval_id)) OR ((old.request IS NOT NULL) AND (old.request IS DISTINCT FROM new.request)) OR ((old.results IS NOT NULL) AND (old.results IS DISTINCT FROM new.results)))) EXECUTE FUNCTION svc_keep_held('array[''retrieval:'' || r.retrieval_id]');
grant delete, insert, select, update on retrieval to svc_app;
grant delete, insert, select, update on retrieval to svc_operator;

create table retrieval_ledger (
  tenant_id text not null,
  retrieval_id uuid not null,
  candidate_count integer not null,
  candidates_digest bytea not null,
  statistics jsonb not null,
  candidates jsonb,
  candidate_lines text,
  constraint retrieval_ledger_pkey PRIMARY KEY (tenant_id, retrieval_id),
  constraint retrieval_ledger_candidates_digest_check CHECK ((length(candidates_digest) = 32))
);
alter table retrieval_ledger enable row level security, force row level security;
create policy erased_rows on retrieval_ledger for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on retrieval_ledger for all to svc_operator using (true) with check (true);
create policy tenant_rows on retrieval_ledger for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on retrieval_ledger to svc_app;
grant delete, insert, select, update on retrieval_ledger to svc_operator;

create table retrieval_receipt (
  tenant_id text not null,
  record_digest bytea not null,
  actor text not null,
  occurred_at timestamp with time zone not null,
  record bytea not null,
  ingested_at timestamp with time zone default clock_timestamp(),
  session text,
  constraint retrieval_receipt_pkey PRIMARY KEY (tenant_id, record_digest),
  constraint retrieval_receipt_session_check CHECK ((session <> ''::text))
);
alter table retrieval_receipt enable row level security, force row level security;
create policy erased_rows on retrieval_receipt for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on retrieval_receipt for all to svc_operator using (true) with check (true);
create policy tenant_rows on retrieval_receipt for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX retrieval_receipt_actor ON public.retrieval_receipt USING btree (tenant_id, actor, occurred_at);
CREATE INDEX retrieval_receipt_session ON public.retrieval_receipt USING btree (tenant_id, session, occurred_at) WHERE (session IS NOT NULL);
CREATE INDEX retrieval_receipt_time ON public.retrieval_receipt USING btree (tenant_id, occurred_at);
CREATE TRIGGER tally AFTER INSERT ON public.retrieval_receipt REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION svc_tally_receipts();
grant insert, select on retrieval_receipt to svc_app;
grant insert, select on retrieval_receipt to svc_operator;

create table revenue_declaration (
  tenant_id text not null,
  declaration_id uuid not null,
  agent_id text,
  subject text collate "C" not null,
  request_id uuid,
  amount_minor bigint not null,
  currency text not null,
  period text not null,
  note text,
  state text not null default 'pending'::text,
  declared_by text not null,
  declared_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint revenue_declaration_pkey PRIMARY KEY (tenant_id, declaration_id),
  constraint revenue_declaration_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint revenue_declaration_tenant_id_request_id_fkey FOREIGN KEY (tenant_id, request_id) REFERENCES feedback_request(tenant_id, request_id),
  constraint revenue_declaration_amount_minor_check CHECK ((amount_minor > 0)),
  constraint revenue_declaration_currency_check CHECK ((currency = ANY (ARRAY['GBP'::text, 'USD'::text, 'EUR'::text]))),
  constraint revenue_declaration_period_check CHECK ((period = ANY (ARRAY['monthly'::text, 'yearly'::text, 'once'::text]))),
  constraint revenue_declaration_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'needs_info'::text, 'accepted'::text, 'rejected'::text])))
);
alter table revenue_declaration enable row level security, force row level security;
create policy erased_rows on revenue_declaration for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on revenue_declaration for all to svc_operator using (true) with check (true);
create policy tenant_rows on revenue_declaration for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX revenue_declaration_subject ON public.revenue_declaration USING btree (tenant_id, subject);
CREATE INDEX revenue_declaration_waiting ON public.revenue_declaration USING btree (tenant_id, declaration_id) WHERE (state = ANY (ARRAY['pending'::text, 'needs_info'::text]));
grant delete, insert, select, update on revenue_declaration to svc_app;
grant delete, insert, select, update on revenue_declaration to svc_operator;

create table revenue_declaration_change (
  tenant_id text not null,
  declaration_id uuid not null,
  seq integer not null,
  from_state text,
  to_state text not null,
  principal text not null,
  reason text,
  changed_at timestamp with time zone not null default now(),
  constraint revenue_declaration_change_pkey PRIMARY KEY (tenant_id, declaration_id, seq),
  constraint revenue_declaration_change_tenant_id_declaration_id_fkey FOREIGN KEY (tenant_id, declaration_id) REFERENCES revenue_declaration(tenant_id, declaration_id)
);
alter table revenue_declaration_change enable row level security, force row level security;
create policy erased_rows on revenue_declaration_change for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on revenue_declaration_change for all to svc_operator using (true) with check (true);
create policy tenant_rows on revenue_declaration_change for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant insert, select on revenue_declaration_change to svc_app;
grant insert, select on revenue_declaration_change to svc_operator;

create table schema_compatibility (
  only_row boolean not null default true,
  oldest_program bigint not null,
  constraint schema_compatibility_pkey PRIMARY KEY (only_row),
  constraint schema_compatibility_only_row_check CHECK (only_row)
);
grant select on schema_compatibility to svc_app;
grant select on schema_compatibility to svc_operator;

create table scim_group (
  tenant_id text not null,
  group_id uuid not null,
  display_name text not null,
  external_id text,
  created_at timestamp with time zone not null default now(),
  changed_at timestamp with time zone not null default now(),
  constraint scim_group_tenant_id_display_name_key UNIQUE (tenant_id, display_name),
  constraint scim_group_pkey PRIMARY KEY (tenant_id, group_id),
  constraint scim_group_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint scim_group_display_name_check CHECK (((length(display_name) >= 1) AND (length(display_name) <= 256))),
  constraint scim_group_external_id_check CHECK (((length(external_id) >= 1) AND (length(external_id) <= 256)))
);
alter table scim_group enable row level security, force row level security;
create policy erased_rows on scim_group for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on scim_group for all to svc_operator using (true) with check (true);
create policy tenant_rows on scim_group for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX scim_group_external_id ON public.scim_group USING btree (tenant_id, external_id) WHERE (external_id IS NOT NULL);
grant delete, insert, select, update on scim_group to svc_app;
grant delete, insert, select, update on scim_group to svc_operator;

create table scim_member (
  tenant_id text not null,
  group_id uuid not null,
  user_id uuid not null,
  constraint scim_member_pkey PRIMARY KEY (tenant_id, group_id, user_id),
  constraint scim_member_tenant_id_group_id_fkey FOREIGN KEY (tenant_id, group_id) REFERENCES scim_group(tenant_id, group_id) ON DELETE CASCADE,
  constraint scim_member_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES scim_user(tenant_id, user_id) ON DELETE CASCADE
);
alter table scim_member enable row level security, force row level security;
create policy erased_rows on scim_member for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on scim_member for all to svc_operator using (true) with check (true);
create policy tenant_rows on scim_member for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX scim_member_user ON public.scim_member USING btree (tenant_id, user_id);
grant delete, insert, select, update on scim_member to svc_app;
grant delete, insert, select, update on scim_member to svc_operator;

create table scim_user (
  tenant_id text not null,
  user_id uuid not null,
  user_name text not null,
  external_id text,
  role text not null,
  created_at timestamp with time zone not null default now(),
  changed_at timestamp with time zone not null default now(),
  constraint scim_user_tenant_id_user_name_key UNIQUE (tenant_id, user_name),
  constraint scim_user_pkey PRIMARY KEY (tenant_id, user_id),
  constraint scim_user_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint scim_user_external_id_check CHECK (((length(external_id) >= 1) AND (length(external_id) <= 256))),
  constraint scim_user_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text, 'viewer'::text]))),
  constraint scim_user_user_name_check CHECK (((length(user_name) >= 3) AND (length(user_name) <= 320)))
);
alter table scim_user enable row level security, force row level security;
create policy erased_rows on scim_user for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on scim_user for all to svc_operator using (true) with check (true);
create policy tenant_rows on scim_user for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX scim_user_external_id ON public.scim_user USING btree (tenant_id, external_id) WHERE (external_id IS NOT NULL);
grant delete, insert, select, update on scim_user to svc_app;
grant delete, insert, select, update on scim_user to svc_operator;

create table scrub (
  scrub_id uuid not null,
  reason text not null,
  removed_by xid8 not null default pg_current_xact_id(),
  requested_at timestamp with time zone not null default now(),
  began_at timestamp with time zone,
  step text,
  finished_at timestamp with time zone,
  constraint scrub_pkey PRIMARY KEY (scrub_id),
  constraint scrub_reason_check CHECK ((reason = ANY (ARRAY['subject'::text, 'tenant'::text, 'restore'::text])))
);
CREATE INDEX scrub_open ON public.scrub USING btree (requested_at) WHERE (finished_at IS NULL);
grant insert, select, update on scrub to svc_app;
grant insert, select, update on scrub to svc_operator;

create table sealed_segment (
  tenant_id text not null,
  segment_seq bigint not null,
  corpus_id text not null,
  frame_count integer not null,
  frames bytea not null,
  digest bytea not null,
  sealed_at timestamp with time zone not null,
  receipt_id uuid not null,
  constraint sealed_segment_pkey PRIMARY KEY (tenant_id, segment_seq),
  constraint sealed_segment_digest_check CHECK ((length(digest) = 32)),
  constraint sealed_segment_frame_count_check CHECK ((frame_count >= 1)),
  constraint sealed_segment_segment_seq_check CHECK ((segment_seq >= 1))
);
alter table sealed_segment enable row level security, force row level security;
create policy erased_rows on sealed_segment for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on sealed_segment for all to svc_operator using (true) with check (true);
create policy tenant_rows on sealed_segment for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE TRIGGER legal_hold BEFORE DELETE ON public.sealed_segment FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''document:'' || r.corpus_id || ''/''] || array(
  select prefix from public.legal_hold h, unnest(h.entity_prefixes) prefix
  where h.tenant_id = r.tenant_id and h.released_at is null and starts_with(prefix, ''document:'' || r.corpus_id || ''/''))');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.sealed_segment REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''document:'' || r.corpus_id || ''/''] || array(
  select prefix from public.legal_hold h, unnest(h.entity_prefixes) prefix
  where h.tenant_id = r.tenant_id and h.released_at is null and starts_with(prefix, ''document:'' || r.corpus_id || ''/''))');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.sealed_segment FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, segment_seq, frames, digest ON public.sealed_segment FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.segment_seq IS NOT NULL) AND (old.segment_seq IS DISTINCT FROM new.segment_seq)) OR ((old.frames IS NOT NULL) AND (old.frames IS DISTINCT FROM new.frames)) OR ((old.digest IS NOT NULL) AND (old.digest IS DISTINCT FROM new.digest)))) EXECUTE FUNCTION svc_keep_held('array[''document:'' || r.corpus_id || ''/''] || array(
  select prefix from public.legal_hold h, unnest(h.entity_prefixes) prefix
  where h.tenant_id = r.tenant_id and h.released_at is null and starts_with(prefix, ''document:'' || r.corpus_id || ''/''))');
grant insert, select on sealed_segment to svc_app;
grant insert, select on sealed_segment to svc_operator;

create table seat (
  tenant_id text not null,
  seat_id uuid not null,
  user_email text not null,
  role text not null,
  status text not null,
  invited_by uuid,
  invited_at timestamp with time zone not null default now(),
  accepted_at timestamp with time zone,
  revoked_at timestamp with time zone,
  invite_hash bytea,
  invite_expires_at timestamp with time zone,
  invite_issuer text,
  constraint seat_pkey PRIMARY KEY (tenant_id, seat_id),
  constraint seat_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint seat_not_discovery CHECK ((tenant_id <> 'svc-discovery'::text)),
  constraint seat_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text, 'viewer'::text]))),
  constraint seat_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'revoked'::text]))),
  constraint seat_user_email_check CHECK ((user_email = lower((user_email COLLATE "C"))))
);
alter table seat enable row level security, force row level security;
create policy erased_rows on seat for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on seat for all to svc_operator using (true) with check (true);
create policy tenant_rows on seat for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX seat_active_email ON public.seat USING btree (user_email, tenant_id) WHERE (status = 'active'::text);
CREATE UNIQUE INDEX seat_email ON public.seat USING btree (tenant_id, user_email) WHERE (status <> 'revoked'::text);
CREATE INDEX seat_invite_issuer ON public.seat USING btree (tenant_id, invite_issuer) WHERE (invite_hash IS NOT NULL);
CREATE TRIGGER end_principal AFTER UPDATE ON public.seat FOR EACH ROW WHEN (((old.status = 'active'::text) AND ((new.status = 'revoked'::text) OR (old.role <> new.role)))) EXECUTE FUNCTION svc_end_seat();
grant delete, insert, select, update on seat to svc_app;
grant delete, insert, select, update on seat to svc_operator;

create table seat_event (
  tenant_id text not null,
  seat_id uuid not null,
  event_id bigint not null,
  kind text not null,
  actor text not null,
  former_role text,
  role text not null,
  reason text,
  occurred_at timestamp with time zone not null default clock_timestamp(),
  constraint seat_event_pkey PRIMARY KEY (tenant_id, seat_id, event_id),
  constraint seat_event_tenant_id_seat_id_fkey FOREIGN KEY (tenant_id, seat_id) REFERENCES seat(tenant_id, seat_id),
  constraint seat_event_kind_check CHECK ((kind = ANY (ARRAY['invited'::text, 'accepted'::text, 'role_changed'::text, 'revoked'::text, 'sign_in_invited'::text, 'signed_in'::text])))
);
alter table seat_event enable row level security, force row level security;
create policy erased_rows on seat_event for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on seat_event for all to svc_operator using (true) with check (true);
create policy tenant_rows on seat_event for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant insert, select on seat_event to svc_app;
grant insert, select on seat_event to svc_operator;

create table server_secret (
  name text not null,
  secret bytea not null,
  constraint server_secret_pkey PRIMARY KEY (name)
);
grant insert, select on server_secret to svc_operator;

create table session (
  tenant_id text not null,
  session_id uuid not null,
  session_hash bytea not null,
  auth_type text not null,
  principal text not null,
  key_id uuid,
  seat_id uuid,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint session_tenant_id_session_hash_key UNIQUE (tenant_id, session_hash),
  constraint session_pkey PRIMARY KEY (tenant_id, session_id),
  constraint session_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint session_tenant_id_key_id_fkey FOREIGN KEY (tenant_id, key_id) REFERENCES api_key(tenant_id, key_id),
  constraint session_tenant_id_seat_id_fkey FOREIGN KEY (tenant_id, seat_id) REFERENCES seat(tenant_id, seat_id),
  constraint session_auth_type_check CHECK ((auth_type = ANY (ARRAY['api_key'::text, 'seat'::text]))),
  constraint session_check CHECK ((((auth_type = 'api_key'::text) = (key_id IS NOT NULL)) AND ((auth_type = 'seat'::text) = (seat_id IS NOT NULL)))),
  constraint session_session_hash_check CHECK ((length(session_hash) = 32))
);
alter table session enable row level security, force row level security;
create policy erased_rows on session for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on session for all to svc_operator using (true) with check (true);
create policy tenant_rows on session for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX session_expiry ON public.session USING btree (expires_at);
CREATE INDEX session_principal ON public.session USING btree (tenant_id, principal) WHERE (ended_at IS NULL);
CREATE TRIGGER announce_end AFTER DELETE OR UPDATE OF ended_at ON public.session FOR EACH ROW EXECUTE FUNCTION svc_announce_session();
grant delete, insert, select, update on session to svc_app;
grant delete, insert, select, update on session to svc_operator;

create table shield_approval (
  tenant_id text not null,
  approval_request_id uuid not null,
  state text not null,
  principal text not null,
  action text not null,
  server_id text,
  tool_digest text,
  arguments_digest bytea not null,
  arguments text,
  arguments_bytes integer not null,
  policy_version integer not null,
  spend_credits bigint,
  decision_id uuid,
  reason text not null,
  requested_at timestamp with time zone not null default clock_timestamp(),
  expires_at timestamp with time zone not null,
  resolved_by text,
  resolved_at timestamp with time zone,
  resolution_reason text,
  ui_session_id uuid,
  receipt_id uuid,
  token_hash bytea,
  used_at timestamp with time zone,
  used_decision_id uuid,
  ended_at timestamp with time zone,
  end_reason text,
  drill_id uuid,
  constraint shield_approval_tenant_id_token_hash_key UNIQUE (tenant_id, token_hash),
  constraint shield_approval_pkey PRIMARY KEY (tenant_id, approval_request_id),
  constraint shield_approval_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint shield_approval_arguments_digest_check CHECK ((length(arguments_digest) = 32)),
  constraint shield_approval_check CHECK (((state <> 'approved'::text) OR ((token_hash IS NOT NULL) AND (resolved_by IS NOT NULL) AND (resolved_by <> principal)))),
  constraint shield_approval_check1 CHECK (((state = 'used'::text) = (used_at IS NOT NULL))),
  constraint shield_approval_spend_credits_check CHECK ((spend_credits > 0)),
  constraint shield_approval_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'used'::text, 'expired'::text, 'void'::text]))),
  constraint shield_approval_token_hash_check CHECK ((length(token_hash) = 32))
);
alter table shield_approval enable row level security, force row level security;
create policy erased_rows on shield_approval for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on shield_approval for all to svc_operator using (true) with check (true);
create policy tenant_rows on shield_approval for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE UNIQUE INDEX shield_approval_pending ON public.shield_approval USING btree (tenant_id, principal, action, COALESCE(server_id, ''::text), COALESCE(tool_digest, ''::text), arguments_digest, policy_version, COALESCE(spend_credits, (0)::bigint)) WHERE (state = 'pending'::text);
CREATE INDEX shield_approval_standing ON public.shield_approval USING btree (tenant_id, principal) WHERE (state = ANY (ARRAY['pending'::text, 'approved'::text]));
CREATE TRIGGER emit_change AFTER UPDATE OF state ON public.shield_approval FOR EACH ROW WHEN (((old.state <> new.state) AND (new.drill_id IS NULL))) EXECUTE FUNCTION svc_emit_approval();
CREATE TRIGGER emit_event AFTER INSERT ON public.shield_approval FOR EACH ROW WHEN ((new.drill_id IS NULL)) EXECUTE FUNCTION svc_emit_approval();
grant delete, insert, select, update on shield_approval to svc_app;
grant delete, insert, select, update on shield_approval to svc_operator;

create table shield_decision (
  tenant_id text not null,
  decision_id uuid not null,
  decided_at timestamp with time zone not null default clock_timestamp(),
  principal text not null,
  auth_type text not null,
  action text not null,
  server_id text,
  tool_digest text,
  arguments_digest bytea not null,
  outcome text not null,
  rule text not null,
  denial_type text,
  reason text,
  policy_version integer not null,
  approval_request_id uuid,
  sampled_by uuid[] not null,
  constraint shield_decision_pkey PRIMARY KEY (tenant_id, decision_id),
  constraint shield_decision_arguments_digest_check CHECK ((length(arguments_digest) = 32)),
  constraint shield_decision_check CHECK (((outcome = 'deny'::text) = (denial_type IS NOT NULL))),
  constraint shield_decision_outcome_check CHECK ((outcome = ANY (ARRAY['allow'::text, 'approval_required'::text, 'deny'::text])))
);
alter table shield_decision enable row level security, force row level security;
create policy erased_rows on shield_decision for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on shield_decision for all to svc_operator using (true) with check (true);
create policy tenant_rows on shield_decision for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX shield_decision_age ON public.shield_decision USING brin (decided_at);
CREATE INDEX shield_decision_refused ON public.shield_decision USING btree (tenant_id, decision_id) WHERE (outcome <> 'allow'::text);
CREATE INDEX shield_decision_sampled ON public.shield_decision USING btree (tenant_id, decision_id) WHERE (sampled_by <> '{}'::uuid[]);
CREATE TRIGGER emit_event AFTER INSERT ON public.shield_decision FOR EACH ROW EXECUTE FUNCTION svc_emit_decision();
grant insert, select on shield_decision to svc_app;
grant delete, insert, select, update on shield_decision to svc_operator;

create table shield_digest (
  tenant_id text not null,
  digest text not null,
  tool text,
  publisher_id text,
  status text not null,
  reason text not null,
  created_at timestamp with time zone not null default now(),
  changed_by text not null,
  changed_at timestamp with time zone not null default now(),
  drill_id uuid,
  constraint shield_digest_pkey PRIMARY KEY (tenant_id, digest),
  constraint shield_digest_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint shield_digest_tenant_id_publisher_id_fkey FOREIGN KEY (tenant_id, publisher_id) REFERENCES shield_publisher(tenant_id, publisher_id),
  constraint shield_digest_digest_check CHECK ((digest ~ '^sha256:[0-9a-f]{64}$'::text)),
  constraint shield_digest_status_check CHECK ((status = ANY (ARRAY['trusted'::text, 'revoked'::text])))
);
alter table shield_digest enable row level security, force row level security;
create policy erased_rows on shield_digest for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on shield_digest for all to svc_operator using (true) with check (true);
create policy tenant_rows on shield_digest for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on shield_digest to svc_app;
grant delete, insert, select, update on shield_digest to svc_operator;

create table shield_drill (
  tenant_id text not null,
  drill_id uuid not null,
  kind text not null,
  reason text not null,
  state text not null,
  requested_by text not null,
  requested_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  completed_at timestamp with time zone,
  detected boolean,
  detection_us bigint,
  recovery_us bigint,
  passed boolean,
  steps jsonb not null default '[]'::jsonb,
  error text,
  constraint shield_drill_pkey PRIMARY KEY (tenant_id, drill_id),
  constraint shield_drill_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint shield_drill_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text])))
);
alter table shield_drill enable row level security, force row level security;
create policy erased_rows on shield_drill for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on shield_drill for all to svc_operator using (true) with check (true);
create policy tenant_rows on shield_drill for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on shield_drill to svc_app;
grant delete, insert, select, update on shield_drill to svc_operator;

create table shield_kill_switch (
  tenant_id text not null,
  kill_switch_id uuid not null,
  scope text not null,
  target text,
  mode text not null,
  include_reads boolean not null,
  reason text not null,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  lifted_by text,
  lifted_at timestamp with time zone,
  lift_reason text,
  drill_id uuid,
  constraint shield_kill_switch_pkey PRIMARY KEY (tenant_id, kill_switch_id),
  constraint shield_kill_switch_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint shield_kill_switch_check CHECK (((scope = 'tenant'::text) = (target IS NULL))),
  constraint shield_kill_switch_check1 CHECK (((lifted_at IS NULL) = (lifted_by IS NULL))),
  constraint shield_kill_switch_mode_check CHECK ((mode = ANY (ARRAY['deny'::text, 'require_approval'::text]))),
  constraint shield_kill_switch_scope_check CHECK ((scope = ANY (ARRAY['tenant'::text, 'action'::text, 'principal'::text, 'server'::text, 'publisher'::text])))
);
alter table shield_kill_switch enable row level security, force row level security;
create policy erased_rows on shield_kill_switch for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on shield_kill_switch for all to svc_operator using (true) with check (true);
create policy tenant_rows on shield_kill_switch for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX shield_kill_switch_standing ON public.shield_kill_switch USING btree (tenant_id) WHERE (lifted_at IS NULL);
CREATE TRIGGER announce_change AFTER INSERT OR UPDATE ON public.shield_kill_switch FOR EACH ROW EXECUTE FUNCTION svc_announce_shield();
grant delete, insert, select, update on shield_kill_switch to svc_app;
grant delete, insert, select, update on shield_kill_switch to svc_operator;

create table shield_policy (
  tenant_id text not null,
  version integer not null,
  changed_by text not null,
  changed_at timestamp with time zone not null default now(),
  require_server_id boolean not null default false,
  require_tool_digest boolean not null default false,
  require_registered boolean not null default false,
  require_ui_integrity boolean not null default false,
  spend_window_credits integer,
  spend_window_seconds integer,
  constraint shield_policy_pkey PRIMARY KEY (tenant_id),
  constraint shield_policy_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint shield_policy_check CHECK (((spend_window_credits IS NULL) = (spend_window_seconds IS NULL))),
  constraint shield_policy_spend_window_credits_check CHECK ((spend_window_credits >= 0)),
  constraint shield_policy_spend_window_seconds_check CHECK (((spend_window_seconds >= 1) AND (spend_window_seconds <= 2592000)))
);
alter table shield_policy enable row level security, force row level security;
create policy erased_rows on shield_policy for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on shield_policy for all to svc_operator using (true) with check (true);
create policy tenant_rows on shield_policy for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE TRIGGER announce_change AFTER INSERT OR UPDATE ON public.shield_policy FOR EACH ROW EXECUTE FUNCTION svc_announce_shield();
grant delete, insert, select, update on shield_policy to svc_app;
grant delete, insert, select, update on shield_policy to svc_operator;

create table shield_publisher (
  tenant_id text not null,
  publisher_id text not null,
  name text not null,
  public_key bytea,
  status text not null,
  reason text not null,
  created_at timestamp with time zone not null default now(),
  changed_by text not null,
  changed_at timestamp with time zone not null default now(),
  constraint shield_publisher_pkey PRIMARY KEY (tenant_id, publisher_id),
  constraint shield_publisher_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint shield_publisher_lower_case CHECK ((publisher_id = translate(publisher_id, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'::text, 'abcdefghijklmnopqrstuvwxyz'::text))),
  constraint shield_publisher_public_key_check CHECK ((length(public_key) = 32)),
  constraint shield_publisher_status_check CHECK ((status = ANY (ARRAY['trusted'::text, 'revoked'::text])))
);
alter table shield_publisher enable row level security, force row level security;
create policy erased_rows on shield_publisher for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on shield_publisher for all to svc_operator using (true) with check (true);
create policy tenant_rows on shield_publisher for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on shield_publisher to svc_app;
grant delete, insert, select, update on shield_publisher to svc_operator;

create table shield_sampling_policy (
  tenant_id text not null,
  sampling_policy_id uuid not null,
  name text not null,
  match_action text,
  match_outcome text,
  match_principal text,
  rate_per_million integer not null,
  created_at timestamp with time zone not null default now(),
  changed_by text not null,
  changed_at timestamp with time zone not null default now(),
  constraint shield_sampling_policy_tenant_id_name_key UNIQUE (tenant_id, name),
  constraint shield_sampling_policy_pkey PRIMARY KEY (tenant_id, sampling_policy_id),
  constraint shield_sampling_policy_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint shield_sampling_policy_match_outcome_check CHECK ((match_outcome = ANY (ARRAY['allow'::text, 'approval_required'::text, 'deny'::text]))),
  constraint shield_sampling_policy_rate_per_million_check CHECK (((rate_per_million >= 0) AND (rate_per_million <= 1000000)))
);
alter table shield_sampling_policy enable row level security, force row level security;
create policy erased_rows on shield_sampling_policy for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on shield_sampling_policy for all to svc_operator using (true) with check (true);
create policy tenant_rows on shield_sampling_policy for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on shield_sampling_policy to svc_app;
grant delete, insert, select, update on shield_sampling_policy to svc_operator;

create table shield_server (
  tenant_id text not null,
  server_id text not null,
  url text,
  publisher_id text not null,
  tool_digests text[] not null,
  status text not null,
  reason text not null,
  created_at timestamp with time zone not null default now(),
  changed_by text not null,
  changed_at timestamp with time zone not null default now(),
  constraint shield_server_pkey PRIMARY KEY (tenant_id, server_id),
  constraint shield_server_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint shield_server_tenant_id_publisher_id_fkey FOREIGN KEY (tenant_id, publisher_id) REFERENCES shield_publisher(tenant_id, publisher_id),
  constraint shield_server_lower_case CHECK ((server_id = translate(server_id, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'::text, 'abcdefghijklmnopqrstuvwxyz'::text))),
  constraint shield_server_status_check CHECK ((status = ANY (ARRAY['active'::text, 'quarantined'::text, 'blocked'::text])))
);
alter table shield_server enable row level security, force row level security;
create policy erased_rows on shield_server for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on shield_server for all to svc_operator using (true) with check (true);
create policy tenant_rows on shield_server for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on shield_server to svc_app;
grant delete, insert, select, update on shield_server to svc_operator;

create table shield_spending (
  tenant_id text not null,
  decision_id uuid not null,
  principal text not null,
  credits bigint not null,
  spent_at timestamp with time zone not null default clock_timestamp(),
  constraint shield_spending_pkey PRIMARY KEY (tenant_id, decision_id),
  constraint shield_spending_credits_check CHECK ((credits > 0))
);
alter table shield_spending enable row level security, force row level security;
create policy erased_rows on shield_spending for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on shield_spending for all to svc_operator using (true) with check (true);
create policy tenant_rows on shield_spending for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX shield_spending_age ON public.shield_spending USING brin (spent_at);
CREATE INDEX shield_spending_window ON public.shield_spending USING btree (tenant_id, principal, spent_at);
grant insert, select, update on shield_spending to svc_app;
grant delete, select on shield_spending to svc_operator;

create table shield_ui_session (
  tenant_id text not null,
  ui_session_id uuid not null,
  approval_request_id uuid not null,
  principal text not null,
  nonce text not null,
  shown_text text not null,
  shown_digest bytea not null,
  state text not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  mismatch_digest text,
  mismatch_by text,
  constraint shield_ui_session_pkey PRIMARY KEY (tenant_id, ui_session_id),
  constraint shield_ui_session_tenant_id_approval_request_id_fkey FOREIGN KEY (tenant_id, approval_request_id) REFERENCES shield_approval(tenant_id, approval_request_id),
  constraint shield_ui_session_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint shield_ui_session_shown_digest_check CHECK ((length(shown_digest) = 32)),
  constraint shield_ui_session_state_check CHECK ((state = ANY (ARRAY['open'::text, 'used'::text, 'mismatched'::text, 'ended'::text])))
);
alter table shield_ui_session enable row level security, force row level security;
create policy erased_rows on shield_ui_session for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on shield_ui_session for all to svc_operator using (true) with check (true);
create policy tenant_rows on shield_ui_session for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on shield_ui_session to svc_app;
grant delete, insert, select, update on shield_ui_session to svc_operator;

create table signing_key (
  kid text not null,
  public_key bytea not null,
  not_before timestamp with time zone not null,
  not_after timestamp with time zone,
  statement bytea,
  constraint signing_key_public_key_key UNIQUE (public_key),
  constraint signing_key_pkey PRIMARY KEY (kid),
  constraint signing_key_public_key_check CHECK ((length(public_key) = 32))
);
grant select on signing_key to svc_app;
grant insert, select, update on signing_key to svc_operator;

create table sql_function (
  name text not null,
  digest bytea not null,
  applied_at timestamp with time zone not null default now(),
  constraint sql_function_pkey PRIMARY KEY (name),
  constraint sql_function_digest_check CHECK ((length(digest) = 32))
);

create table storybook (
  tenant_id text not null,
  project_id text collate "C" not null,
  generated_at_unix_ms bigint not null,
  title text not null,
  content text not null,
  sections json not null,
  stats json not null,
  bytes integer not null,
  content_hash text not null,
  generated_by_passport text,
  receipt_id uuid not null,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  constraint storybook_pkey PRIMARY KEY (tenant_id, project_id, generated_at_unix_ms),
  constraint storybook_tenant_id_project_id_fkey FOREIGN KEY (tenant_id, project_id) REFERENCES project(tenant_id, project_id),
  constraint storybook_bytes_check CHECK ((bytes >= 0))
);
alter table storybook enable row level security, force row level security;
create policy erased_rows on storybook for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on storybook for all to svc_operator using (true) with check (true);
create policy tenant_rows on storybook for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE TRIGGER legal_hold BEFORE DELETE ON public.storybook FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''project:'' || r.project_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.storybook REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''project:'' || r.project_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.storybook FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, project_id, generated_at_unix_ms, content, sections ON public.storybook FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.project_id IS NOT NULL) AND (old.project_id IS DISTINCT FROM new.project_id)) OR ((old.generated_at_unix_ms IS NOT NULL) AND (old.generated_at_unix_ms IS DISTINCT FROM new.generated_at_unix_ms)) OR ((old.content IS NOT NULL) AND (old.content IS DISTINCT FROM new.content)) OR ((old.sections IS NOT NULL) AND ((old.sections)::text IS DISTINCT FROM (new.sections)::text)))) EXECUTE FUNCTION svc_keep_held('array[''project:'' || r.project_id]');
grant insert, select on storybook to svc_app;
grant insert, select on storybook to svc_operator;

create table stream_event (
  tenant_id text not null,
  stream_type text not null,
  stream_id text not null,
  seq bigint not null,
  event_id text,
  type text not null,
  occurred_at timestamp with time zone,
  recorded_at timestamp with time zone not null default now(),
  salt bytea not null,
  payload bytea not null,
  digest bytea not null,
  receipt_id uuid not null,
  constraint stream_event_pkey PRIMARY KEY (tenant_id, stream_type, stream_id, seq),
  constraint stream_event_digest_check CHECK ((length(digest) = 32)),
  constraint stream_event_salt_check CHECK ((length(salt) = 16)),
  constraint stream_event_seq_check CHECK ((seq >= 0))
);
alter table stream_event enable row level security, force row level security;
create policy erased_rows on stream_event for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on stream_event for all to svc_operator using (true) with check (true);
create policy tenant_rows on stream_event for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE UNIQUE INDEX stream_event_id ON public.stream_event USING btree (tenant_id, stream_type, stream_id, event_id) WHERE (event_id IS NOT NULL);
CREATE TRIGGER legal_hold BEFORE DELETE ON public.stream_event FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''stream:'' || r.stream_type || ''/'' || r.stream_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.stream_event REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''stream:'' || r.stream_type || ''/'' || r.stream_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.stream_event FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, stream_type, stream_id, seq, event_id, type, payload, digest ON public.stream_event FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.stream_type IS NOT NULL) AND (old.stream_type IS DISTINCT FROM new.stream_type)) OR ((old.stream_id IS NOT NULL) AND (old.stream_id IS DISTINCT FROM new.stream_id)) OR ((old.seq IS NOT NULL) AND (old.seq IS DISTINCT FROM new.seq)) OR ((old.event_id IS NOT NULL) AND (old.event_id IS DISTINCT FROM new.event_id)) OR ((old.type IS NOT NULL) AND (old.type IS DISTINCT FROM new.type)) OR ((old.payload IS NOT NULL) AND (old.payload IS DISTINCT FROM new.payload)) OR ((old.digest IS NOT NULL) AND (old.digest IS DISTINCT FROM new.digest)))) EXECUTE FUNCTION svc_keep_held('array[''stream:'' || r.stream_type || ''/'' || r.stream_id]');
grant insert, select on stream_event to svc_app;
grant insert, select on stream_event to svc_operator;

create table stream_head (
  tenant_id text not null,
  stream_type text not null,
  stream_id text not null,
  next_seq bigint not null default 0,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint stream_head_pkey PRIMARY KEY (tenant_id, stream_type, stream_id),
  constraint stream_head_next_seq_check CHECK ((next_seq >= 0))
);
alter table stream_head enable row level security, force row level security;
create policy erased_rows on stream_head for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on stream_head for all to svc_operator using (true) with check (true);
create policy tenant_rows on stream_head for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant insert, select, update on stream_head to svc_app;
grant insert, select, update on stream_head to svc_operator;

create table studio_install (
  tenant_id text not null,
  package_id text collate "C" not null,
  project_id text collate "C" not null,
  version text not null,
  digest text not null,
  items jsonb not null,
  receipt_id uuid not null,
  installed_by text not null,
  installed_at timestamp with time zone not null default now(),
  constraint studio_install_pkey PRIMARY KEY (tenant_id, package_id, project_id)
);
alter table studio_install enable row level security, force row level security;
create policy erased_rows on studio_install for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on studio_install for all to svc_operator using (true) with check (true);
create policy tenant_rows on studio_install for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on studio_install to svc_app;
grant delete, select on studio_install to svc_operator;

create table survey (
  survey_id text not null,
  version integer not null,
  definition jsonb not null,
  kept_at timestamp with time zone not null default now(),
  constraint survey_pkey PRIMARY KEY (survey_id, version)
);
grant insert, select on survey to svc_app;
grant insert, select on survey to svc_operator;

create table survey_response (
  tenant_id text not null,
  survey_id text not null,
  survey_version integer not null,
  principal text not null,
  response_id uuid not null,
  answers jsonb not null default '{}'::jsonb,
  started_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  completed_at timestamp with time zone,
  constraint survey_response_pkey PRIMARY KEY (tenant_id, survey_id, survey_version, principal),
  constraint survey_response_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id)
);
alter table survey_response enable row level security, force row level security;
create policy erased_rows on survey_response for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on survey_response for all to svc_operator using (true) with check (true);
create policy tenant_rows on survey_response for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on survey_response to svc_app;
grant delete, insert, select, update on survey_response to svc_operator;

create table survey_window (
  survey_id text not null,
  version integer not null,
  seq integer not null,
  opens_at timestamp with time zone,
  closes_at timestamp with time zone,
  changed_by text not null,
  changed_at timestamp with time zone not null default now(),
  constraint survey_window_pkey PRIMARY KEY (survey_id, version, seq)
);
grant insert, select on survey_window to svc_app;
grant insert, select on survey_window to svc_operator;

create table sync_change (
  tenant_id text not null,
  mark bigint not null,
  target text not null,
  parts text[] not null,
  constraint sync_change_pkey PRIMARY KEY (tenant_id, mark)
);
alter table sync_change enable row level security, force row level security;
create policy erased_rows on sync_change for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on sync_change for all to svc_operator using (true) with check (true);
create policy tenant_rows on sync_change for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select on sync_change to svc_app;
grant delete, insert, select on sync_change to svc_operator;

create table sync_content (
  tenant_id text not null,
  key bytea not null,
  digest bytea not null,
  names text[] not null,
  content json not null,
  constraint sync_content_pkey PRIMARY KEY (tenant_id, key, digest)
);
alter table sync_content enable row level security, force row level security;
create policy erased_rows on sync_content for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on sync_content for all to svc_operator using (true) with check (true);
create policy tenant_rows on sync_content for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE TRIGGER legal_hold BEFORE DELETE ON public.sync_content FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('r.names');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.sync_content REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('r.names');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.sync_content FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, key, digest, content ON public.sync_content FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.key IS NOT NULL) AND (old.key IS DISTINCT FROM new.key)) OR ((old.digest IS NOT NULL) AND (old.digest IS DISTINCT FROM new.digest)) OR ((old.content IS NOT NULL) AND ((old.content)::text IS DISTINCT FROM (new.content)::text)))) EXECUTE FUNCTION svc_keep_held('r.names');
CREATE TRIGGER sync_delete AFTER DELETE ON public.sync_content REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN ((current_setting('svc.sync_moves'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION svc_mark_sync_content();
CREATE TRIGGER sync_enter BEFORE DELETE ON public.sync_content FOR EACH STATEMENT EXECUTE FUNCTION svc_enter_sync();
grant delete, insert, select on sync_content to svc_app;
grant delete, insert, select on sync_content to svc_operator;

create table sync_exchange (
  tenant_id text not null,
  peer_id text collate "C" not null,
  direction text not null,
  entity_prefixes text[],
  collections text[],
  started_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  state text not null default 'running'::text,
  message text,
  taken bigint not null default 0,
  refused bigint not null default 0,
  receipt_id uuid,
  constraint sync_exchange_pkey PRIMARY KEY (tenant_id, peer_id, direction),
  constraint sync_exchange_direction_check CHECK ((direction = ANY (ARRAY['pull'::text, 'push'::text]))),
  constraint sync_exchange_state_check CHECK ((state = ANY (ARRAY['running'::text, 'equal'::text, 'complete'::text, 'unequal'::text, 'failed'::text])))
);
alter table sync_exchange enable row level security, force row level security;
create policy erased_rows on sync_exchange for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on sync_exchange for all to svc_operator using (true) with check (true);
create policy tenant_rows on sync_exchange for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on sync_exchange to svc_app;
grant delete, insert, select, update on sync_exchange to svc_operator;

create table sync_exchange_part (
  tenant_id text not null,
  peer_id text collate "C" not null,
  direction text not null,
  collection text not null,
  basis text not null,
  "position" bigint,
  pass text,
  pass_position bigint,
  cursor text,
  refused bigint not null default 0,
  is_ahead boolean not null default false,
  updated_at timestamp with time zone not null default now(),
  tree text,
  constraint sync_exchange_part_pkey PRIMARY KEY (tenant_id, peer_id, direction, collection),
  constraint sync_exchange_part_pass_check CHECK ((pass = ANY (ARRAY['full'::text, 'delta'::text])))
);
alter table sync_exchange_part enable row level security, force row level security;
create policy erased_rows on sync_exchange_part for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on sync_exchange_part for all to svc_operator using (true) with check (true);
create policy tenant_rows on sync_exchange_part for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on sync_exchange_part to svc_app;
grant delete, insert, select, update on sync_exchange_part to svc_operator;

create table sync_nonce (
  nonce_hash bytea not null,
  expires_at timestamp with time zone not null,
  spent_at timestamp with time zone,
  constraint sync_nonce_pkey PRIMARY KEY (nonce_hash),
  constraint sync_nonce_nonce_hash_check CHECK ((length(nonce_hash) = 32))
);
CREATE INDEX sync_nonce_expiry ON public.sync_nonce USING btree (expires_at);
grant select on sync_nonce to svc_operator;

create table sync_peer (
  tenant_id text not null,
  peer_id text collate "C" not null,
  url text,
  kid text collate "C" not null,
  public_key bytea not null,
  scopes text[] not null,
  entity_prefixes text[] not null,
  collections text[],
  direction text not null,
  last_cosigned_head text,
  receipt_id uuid not null,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  revoked_by text,
  revoked_at timestamp with time zone,
  revoke_receipt uuid,
  constraint sync_peer_pkey PRIMARY KEY (tenant_id, peer_id),
  constraint sync_peer_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint sync_peer_check CHECK ((((revoked_at IS NULL) = (revoke_receipt IS NULL)) AND ((revoked_at IS NULL) = (revoked_by IS NULL)))),
  constraint sync_peer_direction_check CHECK ((direction = ANY (ARRAY['pull'::text, 'push'::text, 'both'::text]))),
  constraint sync_peer_public_key_check CHECK ((length(public_key) = 32))
);
alter table sync_peer enable row level security, force row level security;
create policy erased_rows on sync_peer for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on sync_peer for all to svc_operator using (true) with check (true);
create policy tenant_rows on sync_peer for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE UNIQUE INDEX sync_peer_key ON public.sync_peer USING btree (tenant_id, kid) WHERE (revoked_at IS NULL);
CREATE INDEX sync_peer_kid ON public.sync_peer USING btree (tenant_id, kid);
grant insert, select, update on sync_peer to svc_app;
grant insert, select, update on sync_peer to svc_operator;

create table sync_record (
  tenant_id text not null,
  key bytea not null,
  digest bytea not null,
  target text not null,
  deleted boolean not null,
  collection text not null generated always as (
CASE
    WHEN deleted THEN 'tombstones'::text
    ELSE target
END) stored,
  parts text[] not null,
  names text[] not null,
  vector jsonb not null,
  writer text not null,
  writer_seq bigint not null,
  content_digest bytea,
  "position" bigint not null,
  state text not null,
  local_digest bytea,
  constraint sync_record_pkey PRIMARY KEY (tenant_id, key, digest),
  constraint sync_record_digest_check CHECK ((length(digest) = 32)),
  constraint sync_record_key_check CHECK ((length(key) = 32)),
  constraint sync_record_state_check CHECK ((state = ANY (ARRAY['applied'::text, 'held'::text, 'conflict'::text])))
);
alter table sync_record enable row level security, force row level security;
create policy erased_rows on sync_record for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on sync_record for all to svc_operator using (true) with check (true);
create policy tenant_rows on sync_record for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX sync_record_open ON public.sync_record USING btree (tenant_id, state, key) WHERE (state <> 'applied'::text);
CREATE INDEX sync_record_order ON public.sync_record USING btree (collection, tenant_id, key, digest);
CREATE INDEX sync_record_position ON public.sync_record USING btree (collection, tenant_id, "position");
grant delete, insert, select, update on sync_record to svc_app;
grant delete, insert, select, update on sync_record to svc_operator;

create table sync_tenant (
  tenant_id text not null,
  category text not null default 'personal'::text,
  owner_id text not null,
  membership_epoch numeric(20,0) not null default 1,
  origins text[] not null,
  log_epoch text not null,
  writes bigint not null default 0,
  "position" bigint not null default 0,
  positions jsonb not null default '{}'::jsonb,
  fact_seq bigint not null default 0,
  enabled_at timestamp with time zone not null default now(),
  constraint sync_tenant_pkey PRIMARY KEY (tenant_id),
  constraint sync_tenant_category_check CHECK ((category = ANY (ARRAY['personal'::text, 'team'::text, 'org'::text]))),
  constraint sync_tenant_epoch_check CHECK (((membership_epoch >= (0)::numeric) AND (membership_epoch <= '18446744073709551615'::numeric))),
  constraint sync_tenant_origins_check CHECK ((cardinality(origins) > 0))
);
alter table sync_tenant enable row level security, force row level security;
create policy erased_rows on sync_tenant for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on sync_tenant for all to svc_operator using (true) with check (true);
create policy tenant_rows on sync_tenant for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on sync_tenant to svc_app;
grant delete, insert, select, update on sync_tenant to svc_operator;

create table tenant (
  tenant_id text not null,
  tier text not null,
  created_at timestamp with time zone not null default now(),
  implicit boolean not null default false,
  state text not null default 'active'::text,
  state_since timestamp with time zone not null default now(),
  state_reason text,
  erase_after timestamp with time zone,
  erasure_began_at timestamp with time zone,
  erased_at timestamp with time zone,
  erased_clearing bigint,
  constraint tenant_pkey PRIMARY KEY (tenant_id),
  constraint tenant_check CHECK (((state = 'deleted'::text) = (erase_after IS NOT NULL))),
  constraint tenant_check1 CHECK (((erasure_began_at IS NULL) OR (state = 'deleted'::text))),
  constraint tenant_check2 CHECK (((erased_at IS NULL) OR (erasure_began_at IS NOT NULL))),
  constraint tenant_check3 CHECK (((erasure_began_at IS NULL) = (erased_clearing IS NULL))),
  constraint tenant_check4 CHECK (((tenant_id <> 'svc-discovery'::text) OR (state = 'active'::text))),
  constraint tenant_state_check CHECK ((state = ANY (ARRAY['active'::text, 'suspended'::text, 'deleted'::text]))),
  constraint tenant_state_reason_check CHECK (((length(state_reason) >= 1) AND (length(state_reason) <= 2000))),
  constraint tenant_tenant_id_check CHECK (((length(tenant_id) >= 1) AND (length(tenant_id) <= 120))),
  constraint tenant_tier_check CHECK ((tier = ANY (ARRAY['free'::text, 'starter'::text, 'pro'::text, 'team'::text])))
);
alter table tenant enable row level security, force row level security;
create policy erased_rows on tenant for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on tenant for all to svc_operator using (true) with check (true);
create policy tenant_rows on tenant for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE TRIGGER announce_change AFTER DELETE OR UPDATE OF tenant_id, tier, state ON public.tenant FOR EACH ROW EXECUTE FUNCTION svc_announce_tenant();
CREATE TRIGGER announce_end AFTER DELETE OR UPDATE OF tenant_id ON public.tenant FOR EACH ROW EXECUTE FUNCTION svc_announce_tenant_end();
CREATE TRIGGER note_name AFTER INSERT ON public.tenant FOR EACH ROW EXECUTE FUNCTION svc_note_tenant();
CREATE TRIGGER note_state AFTER UPDATE OF state ON public.tenant FOR EACH ROW WHEN ((old.state <> new.state)) EXECUTE FUNCTION svc_note_tenant_state();
grant delete, insert, select, update on tenant to svc_app;
grant delete, insert, select, update on tenant to svc_operator;

create table tenant_setting (
  tenant_id text not null,
  tool_set text,
  changed_by text not null,
  changed_at timestamp with time zone not null default now(),
  constraint tenant_setting_pkey PRIMARY KEY (tenant_id),
  constraint tenant_setting_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint tenant_setting_tool_set_check CHECK (((length(tool_set) >= 1) AND (length(tool_set) <= 40)))
);
alter table tenant_setting enable row level security, force row level security;
create policy erased_rows on tenant_setting for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on tenant_setting for all to svc_operator using (true) with check (true);
create policy tenant_rows on tenant_setting for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE TRIGGER announce_change AFTER INSERT OR DELETE OR UPDATE ON public.tenant_setting FOR EACH ROW EXECUTE FUNCTION svc_announce_setting();
grant insert, select, update on tenant_setting to svc_app;
grant delete, insert, select, update on tenant_setting to svc_operator;

create table throttle (
  subject bytea not null,
  attempts integer not null default 0,
  blocked_until timestamp with time zone,
  counted_at timestamp with time zone not null default clock_timestamp(),
  constraint throttle_pkey PRIMARY KEY (subject),
  constraint throttle_subject_check CHECK ((length(subject) = 32))
);
CREATE INDEX throttle_age ON public.throttle USING btree (counted_at);
grant delete, select on throttle to svc_operator;

create table tool_window (
  tenant_id text not null,
  principal text not null,
  window_start timestamp with time zone not null,
  calls integer not null,
  constraint tool_window_pkey PRIMARY KEY (tenant_id, principal, window_start)
);
alter table tool_window enable row level security, force row level security;
create policy erased_rows on tool_window for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on tool_window for all to svc_operator using (true) with check (true);
create policy tenant_rows on tool_window for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on tool_window to svc_app;
grant delete, insert, select, update on tool_window to svc_operator;

create table usage_event (
  tenant_id text not null,
  source text collate "C" not null,
  event_id text collate "C" not null,
  happened_at timestamp with time zone not null,
  day date not null,
  model text collate "C" not null,
  tokens_in bigint not null,
  tokens_out bigint not null,
  passport text collate "C" not null default ''::text,
  project text collate "C" not null default ''::text,
  surface text collate "C" not null default ''::text,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  constraint usage_event_pkey PRIMARY KEY (tenant_id, source, event_id),
  constraint usage_event_tokens_in_check CHECK ((tokens_in >= 0)),
  constraint usage_event_tokens_out_check CHECK ((tokens_out >= 0))
);
alter table usage_event enable row level security, force row level security;
create policy erased_rows on usage_event for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on usage_event for all to svc_operator using (true) with check (true);
create policy tenant_rows on usage_event for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX usage_event_day ON public.usage_event USING btree (tenant_id, day);
grant insert, select on usage_event to svc_app;
grant delete, select on usage_event to svc_operator;

create table vector_space (
  space_id integer not null,
  name text collate "C" not null,
  model text not null,
  asked_dimensions integer,
  dimensions integer,
  query_prefix text not null,
  passage_prefix text not null,
  input_tokens integer not null,
  state text not null,
  created_at timestamp with time zone not null default now(),
  serving_since timestamp with time zone,
  failed_at timestamp with time zone,
  reason text,
  constraint vector_space_name_key UNIQUE (name),
  constraint vector_space_pkey PRIMARY KEY (space_id),
  constraint vector_space_state_check CHECK ((state = ANY (ARRAY['building'::text, 'serving'::text, 'retired'::text])))
);
CREATE UNIQUE INDEX vector_space_state ON public.vector_space USING btree (state) WHERE (state <> 'retired'::text);
grant select on vector_space to svc_app;
grant delete, insert, select, update on vector_space to svc_operator;

create table watch (
  tenant_id text not null,
  watch_id uuid not null,
  principal text not null,
  agent_id text not null,
  target_type text not null,
  target_id text not null,
  resolved_type text not null,
  target_version integer,
  query jsonb,
  note text,
  created_at timestamp with time zone not null default now(),
  created_snapshot pg_snapshot,
  "position" bigint not null,
  ended_at timestamp with time zone,
  ended_by text,
  constraint watch_pkey PRIMARY KEY (tenant_id, watch_id),
  constraint watch_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id),
  constraint watch_resolved_type_check CHECK ((resolved_type = ANY (ARRAY['answer'::text, 'chunk'::text, 'document'::text, 'query'::text]))),
  constraint watch_target_type_check CHECK ((target_type = ANY (ARRAY['answer'::text, 'artifact'::text, 'document'::text, 'query'::text])))
);
alter table watch enable row level security, force row level security;
create policy erased_rows on watch for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on watch for all to svc_operator using (true) with check (true);
create policy tenant_rows on watch for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX watch_by_target ON public.watch USING btree (tenant_id, principal, agent_id, target_type, md5(target_id), "position");
CREATE INDEX watch_list ON public.watch USING btree (tenant_id, "position");
CREATE UNIQUE INDEX watch_once ON public.watch USING btree (tenant_id, principal, agent_id, target_type, md5(target_id)) WHERE (ended_at IS NULL);
CREATE INDEX watch_queries ON public.watch USING btree (watch_id) WHERE ((resolved_type = 'query'::text) AND (ended_at IS NULL));
CREATE INDEX watch_target ON public.watch USING btree (tenant_id, resolved_type, md5(target_id)) WHERE (ended_at IS NULL);
CREATE TRIGGER legal_hold BEFORE DELETE ON public.watch FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''watch:'' || r.watch_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.watch REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''watch:'' || r.watch_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.watch FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, watch_id, query, note ON public.watch FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.watch_id IS NOT NULL) AND (old.watch_id IS DISTINCT FROM new.watch_id)) OR ((old.query IS NOT NULL) AND (old.query IS DISTINCT FROM new.query)) OR ((old.note IS NOT NULL) AND (old.note IS DISTINCT FROM new.note)))) EXECUTE FUNCTION svc_keep_held('array[''watch:'' || r.watch_id]');
CREATE TRIGGER note_added AFTER INSERT ON public.watch REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION svc_note_activity('watch');
grant delete, insert, select, update on watch to svc_app;
grant delete, insert, select, update on watch to svc_operator;

create table watch_alert (
  tenant_id text not null,
  watch_id uuid not null,
  alert_id uuid not null,
  event_id uuid not null,
  change text not null,
  body jsonb not null,
  occurred_at timestamp with time zone not null,
  "position" bigint not null,
  constraint watch_alert_tenant_id_watch_id_event_id_key UNIQUE (tenant_id, watch_id, event_id),
  constraint watch_alert_pkey PRIMARY KEY (tenant_id, watch_id, alert_id),
  constraint watch_alert_tenant_id_watch_id_fkey FOREIGN KEY (tenant_id, watch_id) REFERENCES watch(tenant_id, watch_id) ON DELETE CASCADE,
  constraint watch_alert_change_check CHECK ((change = ANY (ARRAY['new_version'::text, 'deleted'::text, 'drifted'::text, 'new_match'::text])))
);
alter table watch_alert enable row level security, force row level security;
create policy erased_rows on watch_alert for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on watch_alert for all to svc_operator using (true) with check (true);
create policy tenant_rows on watch_alert for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX watch_alert_list ON public.watch_alert USING btree (tenant_id, watch_id, "position");
CREATE TRIGGER legal_hold BEFORE DELETE ON public.watch_alert FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''watch:'' || r.watch_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.watch_alert REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''watch:'' || r.watch_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.watch_alert FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, watch_id, alert_id, body ON public.watch_alert FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.watch_id IS NOT NULL) AND (old.watch_id IS DISTINCT FROM new.watch_id)) OR ((old.alert_id IS NOT NULL) AND (old.alert_id IS DISTINCT FROM new.alert_id)) OR ((old.body IS NOT NULL) AND (old.body IS DISTINCT FROM new.body)))) EXECUTE FUNCTION svc_keep_held('array[''watch:'' || r.watch_id]');
grant delete, insert, select, update on watch_alert to svc_app;
grant delete, insert, select, update on watch_alert to svc_operator;

create table watch_seen (
  tenant_id text not null,
  watch_id uuid not null,
  passage bytea not null,
  constraint watch_seen_pkey PRIMARY KEY (tenant_id, watch_id, passage),
  constraint watch_seen_tenant_id_watch_id_fkey FOREIGN KEY (tenant_id, watch_id) REFERENCES watch(tenant_id, watch_id) ON DELETE CASCADE
);
alter table watch_seen enable row level security, force row level security;
create policy erased_rows on watch_seen for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on watch_seen for all to svc_operator using (true) with check (true);
create policy tenant_rows on watch_seen for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on watch_seen to svc_app;
grant delete, insert, select, update on watch_seen to svc_operator;

create table watch_source (
  tenant_id text not null,
  watch_id uuid not null,
  ordinal integer not null,
  owner_tenant_id text not null,
  corpus_id text not null,
  doc_id text not null,
  chunk_id text,
  content_hash bytea,
  version integer not null,
  stands boolean not null,
  constraint watch_source_pkey PRIMARY KEY (tenant_id, watch_id, ordinal),
  constraint watch_source_tenant_id_watch_id_fkey FOREIGN KEY (tenant_id, watch_id) REFERENCES watch(tenant_id, watch_id) ON DELETE CASCADE
);
alter table watch_source enable row level security, force row level security;
create policy erased_rows on watch_source for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on watch_source for all to svc_operator using (true) with check (true);
create policy tenant_rows on watch_source for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX watch_source_document ON public.watch_source USING btree (owner_tenant_id, corpus_id, doc_id);
grant delete, insert, select, update on watch_source to svc_app;
grant delete, insert, select, update on watch_source to svc_operator;

create table webhook_attempt (
  tenant_id text not null,
  delivery_id uuid not null,
  attempt integer not null,
  started_at timestamp with time zone not null,
  duration_ms integer not null,
  status integer,
  error text,
  constraint webhook_attempt_pkey PRIMARY KEY (tenant_id, delivery_id, attempt),
  constraint webhook_attempt_tenant_id_delivery_id_fkey FOREIGN KEY (tenant_id, delivery_id) REFERENCES webhook_delivery(tenant_id, delivery_id) ON DELETE CASCADE
);
alter table webhook_attempt enable row level security, force row level security;
create policy erased_rows on webhook_attempt for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on webhook_attempt for all to svc_operator using (true) with check (true);
create policy tenant_rows on webhook_attempt for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on webhook_attempt to svc_app;
grant delete, insert, select, update on webhook_attempt to svc_operator;

create table webhook_delivery (
  tenant_id text not null,
  delivery_id uuid not null default gen_random_uuid(),
  endpoint_id uuid not null,
  event_id uuid not null,
  kind text not null,
  subject text not null,
  payload text not null,
  state text not null default 'pending'::text,
  attempts integer not null default 0,
  round_attempts integer not null default 0,
  next_at timestamp with time zone not null default now(),
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  "position" bigint not null,
  finished_at timestamp with time zone,
  constraint webhook_delivery_tenant_id_endpoint_id_event_id_key UNIQUE (tenant_id, endpoint_id, event_id),
  constraint webhook_delivery_pkey PRIMARY KEY (tenant_id, delivery_id),
  constraint webhook_delivery_tenant_id_endpoint_id_fkey FOREIGN KEY (tenant_id, endpoint_id) REFERENCES webhook_endpoint(tenant_id, endpoint_id),
  constraint webhook_delivery_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'dead'::text])))
);
alter table webhook_delivery enable row level security, force row level security;
create policy erased_rows on webhook_delivery for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on webhook_delivery for all to svc_operator using (true) with check (true);
create policy tenant_rows on webhook_delivery for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX webhook_delivery_age ON public.webhook_delivery USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX webhook_delivery_due ON public.webhook_delivery USING btree (tenant_id, endpoint_id, next_at) WHERE (state = 'pending'::text);
CREATE INDEX webhook_delivery_leased ON public.webhook_delivery USING btree (tenant_id, endpoint_id) WHERE ((state = 'pending'::text) AND (leased_until IS NOT NULL));
CREATE INDEX webhook_delivery_list ON public.webhook_delivery USING btree (tenant_id, endpoint_id, "position");
CREATE INDEX webhook_delivery_next ON public.webhook_delivery USING btree (next_at) WHERE (state = 'pending'::text);
grant delete, insert, select, update on webhook_delivery to svc_app;
grant delete, insert, select, update on webhook_delivery to svc_operator;

create table webhook_endpoint (
  tenant_id text not null,
  endpoint_id uuid not null,
  url text not null,
  description text,
  kinds text[] not null default '{}'::text[],
  watch_id uuid,
  secret text not null,
  previous_secret text,
  previous_until timestamp with time zone,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  created_snapshot pg_snapshot default pg_current_snapshot(),
  disabled_at timestamp with time zone,
  disabled_reason text,
  deleted_at timestamp with time zone,
  deleted_by text,
  earlier_secrets jsonb not null default '[]'::jsonb,
  constraint webhook_endpoint_pkey PRIMARY KEY (tenant_id, endpoint_id),
  constraint webhook_endpoint_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenant(tenant_id)
);
alter table webhook_endpoint enable row level security, force row level security;
create policy erased_rows on webhook_endpoint for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on webhook_endpoint for all to svc_operator using (true) with check (true);
create policy tenant_rows on webhook_endpoint for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX webhook_endpoint_watch ON public.webhook_endpoint USING btree (tenant_id, watch_id) WHERE (watch_id IS NOT NULL);
grant delete, insert, select, update on webhook_endpoint to svc_app;
grant delete, insert, select, update on webhook_endpoint to svc_operator;

create table work_blocker (
  tenant_id text not null,
  work_id text collate "C" not null,
  blocker_id text collate "C" not null,
  added_by text not null,
  added_at timestamp with time zone not null default now(),
  constraint work_blocker_pkey PRIMARY KEY (tenant_id, work_id, blocker_id),
  constraint work_blocker_check CHECK ((work_id <> blocker_id))
);
alter table work_blocker enable row level security, force row level security;
create policy erased_rows on work_blocker for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on work_blocker for all to svc_operator using (true) with check (true);
create policy tenant_rows on work_blocker for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX work_blocker_blocks ON public.work_blocker USING btree (tenant_id, blocker_id);
grant delete, insert, select on work_blocker to svc_app;
grant delete, select on work_blocker to svc_operator;

create table work_comment (
  tenant_id text not null,
  work_id text collate "C" not null,
  comment_id uuid not null,
  author_passport text not null,
  body text not null,
  receipt_id uuid not null,
  created_at timestamp with time zone not null default now(),
  constraint work_comment_pkey PRIMARY KEY (tenant_id, work_id, comment_id)
);
alter table work_comment enable row level security, force row level security;
create policy erased_rows on work_comment for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on work_comment for all to svc_operator using (true) with check (true);
create policy tenant_rows on work_comment for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX work_comment_order ON public.work_comment USING btree (tenant_id, work_id, created_at, comment_id);
CREATE TRIGGER legal_hold BEFORE DELETE ON public.work_comment FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''work:'' || r.work_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.work_comment REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''work:'' || r.work_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.work_comment FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, work_id, comment_id, body ON public.work_comment FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.work_id IS NOT NULL) AND (old.work_id IS DISTINCT FROM new.work_id)) OR ((old.comment_id IS NOT NULL) AND (old.comment_id IS DISTINCT FROM new.comment_id)) OR ((old.body IS NOT NULL) AND (old.body IS DISTINCT FROM new.body)))) EXECUTE FUNCTION svc_keep_held('array[''work:'' || r.work_id]');
grant insert, select on work_comment to svc_app;
grant delete, select on work_comment to svc_operator;

create table work_gate (
  tenant_id text not null,
  action_id uuid not null,
  work_id text collate "C" not null,
  project_id text collate "C" not null,
  item_version integer not null,
  before jsonb not null,
  after jsonb not null,
  why text,
  requested_passport text not null,
  requested_principal text not null,
  requested_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  may_decide text[],
  status text not null default 'pending'::text,
  decided_passport text,
  decided_principal text,
  decided_at timestamp with time zone,
  reason text,
  request_receipt uuid not null,
  decision_receipt uuid,
  requested_subject text,
  constraint work_gate_pkey PRIMARY KEY (tenant_id, action_id),
  constraint work_gate_check CHECK (((status = 'pending'::text) = (decided_at IS NULL))),
  constraint work_gate_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'lapsed'::text, 'withdrawn'::text])))
);
alter table work_gate enable row level security, force row level security;
create policy erased_rows on work_gate for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on work_gate for all to svc_operator using (true) with check (true);
create policy tenant_rows on work_gate for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX work_gate_expiry ON public.work_gate USING btree (expires_at) WHERE (status = 'pending'::text);
CREATE INDEX work_gate_item ON public.work_gate USING btree (tenant_id, work_id) WHERE (status = 'pending'::text);
CREATE INDEX work_gate_pending ON public.work_gate USING btree (tenant_id, requested_at, action_id) WHERE (status = 'pending'::text);
CREATE TRIGGER keep_from_revoked BEFORE INSERT ON public.work_gate FOR EACH ROW EXECUTE FUNCTION svc_keep_gate();
CREATE TRIGGER legal_hold BEFORE DELETE ON public.work_gate FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''work:'' || r.work_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.work_gate REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''work:'' || r.work_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.work_gate FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, action_id, before, after, why ON public.work_gate FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.action_id IS NOT NULL) AND (old.action_id IS DISTINCT FROM new.action_id)) OR ((old.before IS NOT NULL) AND (old.before IS DISTINCT FROM new.before)) OR ((old.after IS NOT NULL) AND (old.after IS DISTINCT FROM new.after)) OR ((old.why IS NOT NULL) AND (old.why IS DISTINCT FROM new.why)))) EXECUTE FUNCTION svc_keep_held('array[''work:'' || r.work_id]');
grant insert, select, update on work_gate to svc_app;
grant delete, select on work_gate to svc_operator;

create table work_gate_policy (
  tenant_id text not null,
  project_id text collate "C" not null,
  moves text[] not null,
  may_decide text[],
  version integer not null default 1,
  changed_by text not null,
  changed_at timestamp with time zone not null default now(),
  constraint work_gate_policy_pkey PRIMARY KEY (tenant_id, project_id),
  constraint work_gate_policy_version_check CHECK ((version > 0))
);
alter table work_gate_policy enable row level security, force row level security;
create policy erased_rows on work_gate_policy for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on work_gate_policy for all to svc_operator using (true) with check (true);
create policy tenant_rows on work_gate_policy for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant insert, select, update on work_gate_policy to svc_app;
grant delete, select on work_gate_policy to svc_operator;

create table work_item (
  tenant_id text not null,
  work_id text collate "C" not null,
  project_id text collate "C" not null,
  title text not null,
  body text not null default ''::text,
  state text not null,
  assignee_passport text collate "C",
  linked_pr text,
  linked_issue text,
  blocker_reason text,
  blocker_kind text,
  priority smallint not null default 2,
  labels text[] not null default '{}'::text[],
  open_blockers integer not null default 0,
  version integer not null default 1,
  created_at timestamp with time zone not null default now(),
  created_by text not null,
  updated_at timestamp with time zone not null default now(),
  lease_fence bigint,
  lease_holder text,
  lease_expires_at timestamp with time zone,
  owners text[] not null default '{}'::text[],
  constraint work_item_pkey PRIMARY KEY (tenant_id, work_id),
  constraint work_item_blocker_kind_check CHECK ((blocker_kind = ANY (ARRAY['needs_info'::text, 'needs_approval'::text]))),
  constraint work_item_check CHECK (((state <> 'blocked'::text) OR (blocker_kind IS NOT NULL))),
  constraint work_item_open_blockers_check CHECK ((open_blockers >= 0)),
  constraint work_item_priority_check CHECK (((priority >= 0) AND (priority <= 4))),
  constraint work_item_state_check CHECK ((state = ANY (ARRAY['backlog'::text, 'ready'::text, 'in_progress'::text, 'blocked'::text, 'in_review'::text, 'done'::text, 'cancelled'::text]))),
  constraint work_item_version_check CHECK ((version > 0))
);
alter table work_item enable row level security, force row level security;
create policy erased_rows on work_item for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on work_item for all to svc_operator using (true) with check (true);
create policy tenant_rows on work_item for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX work_item_assignee ON public.work_item USING btree (tenant_id, assignee_passport, priority, created_at, work_id) WHERE (assignee_passport IS NOT NULL);
CREATE INDEX work_item_board ON public.work_item USING btree (tenant_id, priority, created_at, work_id);
CREATE INDEX work_item_claimable ON public.work_item USING btree (tenant_id, priority, created_at, work_id) WHERE ((open_blockers = 0) AND ((state = 'ready'::text) OR ((state = 'in_progress'::text) AND (lease_fence IS NOT NULL))));
CREATE INDEX work_item_claimable_of_project ON public.work_item USING btree (tenant_id, project_id, priority, created_at, work_id) WHERE ((open_blockers = 0) AND ((state = 'ready'::text) OR ((state = 'in_progress'::text) AND (lease_fence IS NOT NULL))));
CREATE INDEX work_item_labels ON public.work_item USING gin (labels);
CREATE INDEX work_item_linked_issue ON public.work_item USING btree (tenant_id, linked_issue) WHERE (linked_issue IS NOT NULL);
CREATE INDEX work_item_linked_pr ON public.work_item USING btree (tenant_id, linked_pr) WHERE (linked_pr IS NOT NULL);
CREATE INDEX work_item_project ON public.work_item USING btree (tenant_id, project_id, priority, created_at, work_id);
CREATE INDEX work_item_state ON public.work_item USING btree (tenant_id, state, priority, created_at, work_id);
CREATE TRIGGER keep_from_revoked BEFORE UPDATE OF lease_fence ON public.work_item FOR EACH ROW WHEN (((new.lease_fence IS NOT NULL) AND (new.lease_fence IS DISTINCT FROM old.lease_fence))) EXECUTE FUNCTION svc_keep_claim();
CREATE TRIGGER keep_owners BEFORE INSERT OR UPDATE OF state, assignee_passport, lease_holder ON public.work_item FOR EACH ROW EXECUTE FUNCTION svc_keep_owners();
CREATE TRIGGER legal_hold BEFORE DELETE ON public.work_item FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''work:'' || r.work_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.work_item REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''work:'' || r.work_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.work_item FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, work_id, title, body ON public.work_item FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.work_id IS NOT NULL) AND (old.work_id IS DISTINCT FROM new.work_id)) OR ((old.title IS NOT NULL) AND (old.title IS DISTINCT FROM new.title)) OR ((old.body IS NOT NULL) AND (old.body IS DISTINCT FROM new.body)))) EXECUTE FUNCTION svc_keep_held('array[''work:'' || r.work_id]');
grant insert, select, update on work_item to svc_app;
grant delete, select on work_item to svc_operator;

create table work_transition (
  tenant_id text not null,
  work_id text collate "C" not null,
  version integer not null,
  from_state text,
  to_state text not null,
  passport text not null,
  principal text not null,
  why text,
  fence bigint,
  action_id uuid,
  receipt_id uuid not null,
  changed_at timestamp with time zone not null default now(),
  assignee_passport text,
  subject text,
  constraint work_transition_pkey PRIMARY KEY (tenant_id, work_id, version)
);
alter table work_transition enable row level security, force row level security;
create policy erased_rows on work_transition for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on work_transition for all to svc_operator using (true) with check (true);
create policy tenant_rows on work_transition for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE TRIGGER legal_hold BEFORE DELETE ON public.work_transition FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array[''work:'' || r.work_id]');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.work_transition REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array[''work:'' || r.work_id]');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.work_transition FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, work_id, version, why ON public.work_transition FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.work_id IS NOT NULL) AND (old.work_id IS DISTINCT FROM new.work_id)) OR ((old.version IS NOT NULL) AND (old.version IS DISTINCT FROM new.version)) OR ((old.why IS NOT NULL) AND (old.why IS DISTINCT FROM new.why)))) EXECUTE FUNCTION svc_keep_held('array[''work:'' || r.work_id]');
grant insert, select on work_transition to svc_app;
grant delete, select on work_transition to svc_operator;

create table workbench_command (
  tenant_id text not null,
  seq bigint not null,
  command_id text collate "C" not null,
  session_id text collate "C",
  principal text not null,
  command text not null,
  cwd text,
  exit_code integer,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  output_digest text,
  salt text not null,
  content_digest bytea not null,
  previous bytea not null,
  digest bytea not null,
  receipt_id uuid not null,
  recorded_at timestamp with time zone not null,
  constraint workbench_command_tenant_id_command_id_key UNIQUE (tenant_id, command_id),
  constraint workbench_command_pkey PRIMARY KEY (tenant_id, seq),
  constraint workbench_command_content_digest_check CHECK ((length(content_digest) = 32)),
  constraint workbench_command_digest_check CHECK ((length(digest) = 32)),
  constraint workbench_command_previous_check CHECK ((length(previous) = 32)),
  constraint workbench_command_seq_check CHECK ((seq > 0))
);
alter table workbench_command enable row level security, force row level security;
create policy erased_rows on workbench_command for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on workbench_command for all to svc_operator using (true) with check (true);
create policy tenant_rows on workbench_command for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX workbench_command_session ON public.workbench_command USING btree (tenant_id, session_id, seq) WHERE (session_id IS NOT NULL);
CREATE TRIGGER legal_hold BEFORE DELETE ON public.workbench_command FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE FUNCTION svc_keep_held('array_remove(array[''command:'' || r.command_id, ''session:'' || r.session_id], null)');
CREATE TRIGGER legal_hold_rows AFTER DELETE ON public.workbench_command REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE FUNCTION svc_keep_held_rows('array_remove(array[''command:'' || r.command_id, ''session:'' || r.session_id], null)');
CREATE TRIGGER legal_hold_truncate BEFORE TRUNCATE ON public.workbench_command FOR EACH STATEMENT EXECUTE FUNCTION svc_keep_held_table();
CREATE TRIGGER legal_hold_update BEFORE UPDATE OF tenant_id, seq, command, cwd, salt ON public.workbench_command FOR EACH ROW WHEN ((((old.tenant_id IS NOT NULL) AND (old.tenant_id IS DISTINCT FROM new.tenant_id)) OR ((old.seq IS NOT NULL) AND (old.seq IS DISTINCT FROM new.seq)) OR ((old.command IS NOT NULL) AND (old.command IS DISTINCT FROM new.command)) OR ((old.cwd IS NOT NULL) AND (old.cwd IS DISTINCT FROM new.cwd)) OR ((old.salt IS NOT NULL) AND (old.salt IS DISTINCT FROM new.salt)))) EXECUTE FUNCTION svc_keep_held('array_remove(array[''command:'' || r.command_id, ''session:'' || r.session_id], null)');
grant insert, select on workbench_command to svc_app;
grant insert, select on workbench_command to svc_operator;

create table workspace_file (
  tenant_id text not null,
  scan_id uuid not null,
  path text collate "C" not null,
  bytes bigint not null,
  language text,
  symbols integer not null,
  constraint workspace_file_pkey PRIMARY KEY (tenant_id, scan_id, path)
);
alter table workspace_file enable row level security, force row level security;
create policy erased_rows on workspace_file for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on workspace_file for all to svc_operator using (true) with check (true);
create policy tenant_rows on workspace_file for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on workspace_file to svc_app;
grant delete, insert, select, update on workspace_file to svc_operator;

create table workspace_scan (
  tenant_id text not null,
  scan_id uuid not null,
  state text not null default 'queued'::text,
  attempt integer not null default 0,
  files_found integer,
  files integer not null default 0,
  bytes bigint not null default 0,
  symbols integer not null default 0,
  left_out jsonb not null default '[]'::jsonb,
  problem text,
  created_by text not null,
  version integer not null default 1,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  constraint workspace_scan_pkey PRIMARY KEY (tenant_id, scan_id),
  constraint workspace_scan_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text]))),
  constraint workspace_scan_version_check CHECK ((version > 0))
);
alter table workspace_scan enable row level security, force row level security;
create policy erased_rows on workspace_scan for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on workspace_scan for all to svc_operator using (true) with check (true);
create policy tenant_rows on workspace_scan for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
CREATE INDEX workspace_scan_done ON public.workspace_scan USING btree (tenant_id, scan_id) WHERE (state = 'done'::text);
CREATE UNIQUE INDEX workspace_scan_open ON public.workspace_scan USING btree (tenant_id) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));
grant insert, select, update on workspace_scan to svc_app;
grant insert, select, update on workspace_scan to svc_operator;

create table workspace_symbol (
  tenant_id text not null,
  scan_id uuid not null,
  path text collate "C" not null,
  ordinal integer not null,
  name text not null,
  kind text not null,
  line integer not null,
  constraint workspace_symbol_pkey PRIMARY KEY (tenant_id, scan_id, path, ordinal)
);
alter table workspace_symbol enable row level security, force row level security;
create policy erased_rows on workspace_symbol for all to svc_owner using ((tenant_id = NULLIF(current_setting('svc.erased_tenant'::text, true), ''::text)));
create policy operator_rows on workspace_symbol for all to svc_operator using (true) with check (true);
create policy tenant_rows on workspace_symbol for all to svc_app using ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text))) with check ((tenant_id = NULLIF(current_setting('svc.tenant_id'::text, true), ''::text)));
grant delete, insert, select, update on workspace_symbol to svc_app;
grant delete, insert, select, update on workspace_symbol to svc_operator;

CREATE OR REPLACE FUNCTION public.svc_add_auto_steps(me text, steps jsonb)
 RETURNS SETOF text
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query
      insert into observe_step (tenant_id, session_id, node_id, parent_id, path, depth, label, actor, kind, risk_class, status, private, owner,
        ts_start, ts_end, inputs, outputs, receipt_id, mutation_receipt_id, auto, closed_at)
      select me, s.session_id, gen_random_uuid()::text, p.node_id, p.path || lpad(to_hex(nextval('observe_step_seq')), 10, '0'), p.depth + 1,
        i.label, i.actor, i.kind, 'minimal', i.status, p.private, p.owner, i.at, case when i.status <> 'open' then i.at end,
        coalesce(i.inputs, '[]'), i.outputs, i.receipt_id, i.mutation_receipt_id, true,
        case when i.status <> 'open' then now() end
      from jsonb_to_recordset(steps) i (session text, kind text, label text, actor text, status text, at timestamptz, receipt_id text,
        mutation_receipt_id text, inputs jsonb, outputs jsonb)
      join observe_session s on s.tenant_id = me and s.session_id = i.session and s.archived_at is null
      join observe_step p on p.tenant_id = me and p.session_id = s.session_id and p.node_id = s.auto_node and p.status = 'open' and p.depth < 63
      returning node_id;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_add_fact_batch(me text, batch json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
  declare
    clock timestamptz := clock_timestamp();
    last receipt_head;
  begin
    with b as materialized (
      select * from json_to_record(batch) r (stream text, seq bigint, prev bytea, receipt_id uuid, payload_hash bytea, actor text,
        session text, occurred_at timestamptz, cose bytea, digest bytea, facts uuid[], leaves bytea)
    ), moved as (
      update receipt_head h set seq = b.seq, payload_hash = b.payload_hash from b
      where h.tenant_id = me and h.stream = b.stream and h.seq = b.seq - 1 and h.payload_hash is not distinct from b.prev
      returning h.seq
    ), begun as (
      insert into receipt_head (tenant_id, stream, seq, payload_hash)
      select me, b.stream, 1, b.payload_hash from b where b.seq = 1 on conflict do nothing returning seq
    ), fitting as (
      -- No fact is stored at a time before which an export has said that none is missing.
      select b.* from b left join fact_settled s on s.tenant_id = me
      where (exists (select from moved) or exists (select from begun))
        and b.occurred_at between greatest(clock - interval '60 seconds', s.settled_at) and greatest(clock + interval '1 second', s.settled_at)
    ), logged as (
      insert into log_pending (record_type, record_digest) select 'execution', digest from fitting
    ), kept as (
      insert into fact_batch (tenant_id, receipt_id, facts, leaves) select me, receipt_id, facts, leaves from fitting
    )
    insert into receipt (tenant_id, receipt_id, stream, seq, prev_hash, payload_hash, kind, actor, subject, occurred_at, cose, session)
      select me, receipt_id, stream, seq, prev, payload_hash, 'fact.batch', actor, 'facts', occurred_at, cose, session from fitting;
    if found then
      return;
    end if;
    select * into last from receipt_head h where h.tenant_id = me and h.stream = batch ->> 'stream';
    if last.payload_hash is not distinct from (batch ->> 'payload_hash')::bytea then
      raise exception 'the time is another' using errcode = 'SF001', detail = json_build_object('at', floor(extract(epoch from
        greatest(clock, (select s.settled_at from fact_settled s where s.tenant_id = me))) * 1000));
    end if;
    raise exception 'the stream goes on elsewhere' using errcode = 'SF001',
      detail = json_build_object('seq', coalesce(last.seq, 0), 'payload_hash', encode(last.payload_hash, 'hex'));
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_admit_request(wanted bytea, free integer, first_seconds integer, most_seconds integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
      declare
        wait int := svc_seconds_until((svc_throttle_row(wanted)).blocked_until);
      begin
        if coalesce(wait, 0) > 0 then return wait; end if;
        perform svc_throttle_add(wanted, free, first_seconds, most_seconds);
        return 0;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_admit_sign_in(of_address bytea, of_pair bytea, of_tenant bytea, OUT wait integer, OUT mark integer)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
      declare
        address throttle := svc_throttle_row(of_address);
        pair throttle := svc_throttle_row(of_pair);
        tenant throttle := svc_throttle_row(of_tenant);
      begin
        wait := coalesce(svc_seconds_until(greatest(address.blocked_until, pair.blocked_until)), 0);
        if wait > 0 then return; end if;
        mark := svc_throttle_add(of_address, 25, 1, 900);
        perform svc_throttle_add(of_pair, case when tenant.attempts < 100 then 5 else 1 end, 1, 900);
        update throttle set attempts = attempts + 1, counted_at = clock_timestamp() where subject = of_tenant;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_agent_standing(wanted_agent uuid, wanted_hash bytea)
 RETURNS TABLE(sponsor_tenant_id text, sponsored_at timestamp with time zone, credits bigint, queries_today integer)
 LANGUAGE plpgsql
AS $function$
      begin
        perform set_config('svc.tenant_id', 'svc-discovery', true);
        return query
          select a.sponsor_tenant_id, a.sponsored_at, coalesce(l.balance, 0),
            case when a.query_day = (now() at time zone 'utc')::date then a.day_queries else 0 end
          from agent a left join ledger_account l on l.tenant_id = a.tenant_id and l.account_id = 'agent:' || a.agent_id
          where a.tenant_id = 'svc-discovery' and a.agent_id = wanted_agent and (wanted_hash is null or a.token_hash = wanted_hash)
            and a.ended_at is null and a.expires_at > now();
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_announce_agent()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        perform pg_notify('svc_agent_changed', old.agent_id::text);
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_announce_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        perform pg_notify('svc_key_revoked', old.key_id::text);
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_announce_passport()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    perform pg_notify('svc_passport_registered', json_build_object('tenant', new.tenant_id, 'principal', 'passport:' || new.passport_id)::text);
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_announce_principal_end()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    perform pg_notify('svc_principal_ended', json_build_object('tenant', new.tenant_id, 'principal', new.principal)::text);
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_announce_session()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        perform pg_notify('svc_session_ended', old.session_id::text);
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_announce_setting()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    perform pg_notify('svc_setting_changed', coalesce(new.tenant_id, old.tenant_id));
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_announce_shield()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    perform pg_notify('svc_shield_changed', new.tenant_id);
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_announce_tenant()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    perform pg_notify('svc_tenant_changed', old.tenant_id);
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_announce_tenant_end()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    perform pg_notify('svc_tenant_ended', old.tenant_id);
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_append_receipts(me text, receipts json, heads json, events json)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
  declare
    head record;
  begin
    if json_array_length(events) > 0 then
      insert into outbox_event (tenant_id, event_id, kind, subject, data)
        select me, e.event_id, e.kind, e.subject, e.data
        from rows from (json_to_recordset(events) as (event_id uuid, kind text, subject text, data jsonb)) with ordinality
          as e(event_id, kind, subject, data, place) order by e.place;
    end if;
    for head in select * from json_to_recordset(heads) n (stream text, seq bigint, payload_hash bytea) loop
      update receipt_head h set seq = head.seq, payload_hash = head.payload_hash where h.tenant_id = me and h.stream = head.stream;
    end loop;
    with r as materialized (
      select r.* from rows from (json_to_recordset(receipts)
        as (receipt_id uuid, stream text, seq bigint, prev_hash bytea, payload_hash bytea, kind text, actor text, subject text,
          occurred_at timestamptz, cose bytea, digest bytea, session text)) with ordinality
        as r(receipt_id, stream, seq, prev_hash, payload_hash, kind, actor, subject, occurred_at, cose, digest, session, place)
    ), logged as (
      insert into log_pending (record_type, record_digest) select 'execution', digest from r order by place
    )
    insert into receipt (tenant_id, receipt_id, stream, seq, prev_hash, payload_hash, kind, actor, subject, occurred_at, cose, session)
      select me, receipt_id, stream, seq, prev_hash, payload_hash, kind, actor, subject, occurred_at, cose, session from r order by place;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_authenticate_agent(wanted_agent uuid, wanted_hash bytea)
 RETURNS TABLE(expires_at timestamp with time zone, sponsor_tenant_id text, tier text, state text)
 LANGUAGE plpgsql
AS $function$
      declare
        known agent;
      begin
        perform set_config('svc.tenant_id', 'svc-discovery', true);
        select a.* into known from agent a
          where a.tenant_id = 'svc-discovery' and a.agent_id = wanted_agent and a.token_hash = wanted_hash
            and a.ended_at is null and a.expires_at > now();
        if known.agent_id is null then return; end if;
        perform set_config('svc.tenant_id', coalesce(known.sponsor_tenant_id, known.tenant_id), true);
        return query
          select known.expires_at, known.sponsor_tenant_id, svc_lower_tier(t.tier, known.sponsor_tier), t.state from tenant t
          where t.tenant_id = coalesce(known.sponsor_tenant_id, known.tenant_id);
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_authenticate_key(wanted_tenant text, wanted_hash bytea)
 RETURNS TABLE(key_id uuid, prefix text, key_hash bytea, tier text, expires_at timestamp with time zone, state text)
 LANGUAGE plpgsql
AS $function$
      declare
        wanted_lookup bytea := svc_key_lookup(wanted_hash);
      begin
        perform set_config('svc.tenant_id', wanted_tenant, true);
        return query
          select k.key_id, k.prefix, k.key_hash, t.tier, k.expires_at, t.state from api_key k join tenant t using (tenant_id)
          where k.lookup = wanted_lookup and k.tenant_id = wanted_tenant and k.revoked_at is null
            and (k.expires_at is null or k.expires_at > clock_timestamp());
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_authenticate_session(wanted_tenant text, wanted_hash bytea)
 RETURNS TABLE(session_id uuid, principal text, auth_type text, expires_at timestamp with time zone, key_prefix text, seat_id uuid, seat_role text, seat_email text, tier text, state text)
 LANGUAGE plpgsql
AS $function$
      begin
        perform set_config('svc.tenant_id', wanted_tenant, true);
        return query
          select s.session_id, s.principal, s.auth_type, s.expires_at, k.prefix, s.seat_id, e.role, e.user_email, t.tier,
            t.state
          from session s join tenant t using (tenant_id)
            left join api_key k on k.tenant_id = s.tenant_id and k.key_id = s.key_id
            left join seat e on e.tenant_id = s.tenant_id and e.seat_id = s.seat_id
          where s.tenant_id = wanted_tenant and s.session_hash = wanted_hash and s.ended_at is null and s.expires_at > now()
            and (k.key_id is null or k.revoked_at is null) and (e.seat_id is null or e.status = 'active');
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_blank_sync(me text, keys bytea[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
  begin
    perform set_config('svc.sync_moves', 'on', true);
    delete from public.sync_content c using public.sync_record r
      where r.tenant_id = me and r.key = any(keys) and c.tenant_id = me and c.key = r.key and c.digest = r.digest;
    perform set_config('svc.sync_moves', '', true);
    update public.sync_record r set local_digest = '\x', content_digest = null,
        digest = case when r.deleted then r.digest else sha256(convert_to(gen_random_uuid()::text, 'UTF8')) end
      where r.tenant_id = me and r.key = any(keys) and exists (
        select from public.sync_record o where o.tenant_id = me and o.key = r.key and not o.deleted);
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_check_transfer()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  declare
    entries bigint;
    total numeric;
  begin
    select count(*), coalesce(sum(e.amount), 0) into entries, total
    from ledger_entry e where e.tenant_id = new.tenant_id and e.transfer_id = new.transfer_id;
    if entries < 2 or total <> 0 then
      raise exception 'ledger transfer % is not balanced: % entries that sum to %', new.transfer_id, entries, total
        using errcode = 'check_violation', constraint = 'ledger_transfer_balanced';
    end if;
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_claim_next_work(me text, project text, wanted_labels text[], holder text, asked_by text, ttl integer, new_lease text)
 RETURNS SETOF work_item
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
  declare
    item work_item;
    gated text[] := svc_projects_gating_claims(me);
  begin
    select n.* into item from svc_lock_next_work(me, project, wanted_labels, array[holder], '{}', 1) n;
    if item.work_id is null then
      begin
        set local lock_timeout = '2s';
        select w.* into item from work_item w
          where w.tenant_id = me and (project is null or w.project_id = project) and w.open_blockers = 0
            and (w.state = 'ready' or (w.state = 'in_progress' and w.lease_fence is not null))
            and (w.state = 'ready' and coalesce(w.assignee_passport, holder) = holder or w.lease_expires_at <= clock_timestamp())
            and w.labels @> wanted_labels and w.project_id <> all(gated)
          order by w.tenant_id, w.priority, w.created_at, w.work_id limit 1 for no key update;
        set local lock_timeout = 0;
      exception when lock_not_available then
        return;
      end;
    end if;
    if item.work_id is null then
      return;
    elsif item.state = 'ready' then
      return query select * from svc_claim_work(me, item.work_id, holder, asked_by, ttl, new_lease);
    else
      item.state := 'ready';
      return next item;
    end if;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_claim_next_works(me text, wanted json)
 RETURNS TABLE(place integer, is_deferred boolean, item work_item)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
  declare
    holders text[] := array(select w ->> 'holder' from json_array_elements(wanted) w);
    picked text[] := array_fill(null::text, array[cardinality(holders)]);
    put_off boolean[] := array_fill(false, array[cardinality(holders)]);
    alike record;
    one record;
    candidate work_item;
    n int;
    began timestamptz;
    gated text[] := svc_projects_gating_claims(me);
  begin
    for alike in
      select w.project, w.labels, array_agg(w.number::int order by w.number) as numbers, array_agg(w.holder) as holders
      from rows from (json_to_recordset(wanted) as (project text, labels text[], holder text)) with ordinality
        w (project, labels, holder, number)
      group by w.project, w.labels
    loop
      for candidate in
        -- What is picked for others is locked by this transaction itself, and so is not passed over.
        select l.* from svc_lock_next_work(me, alike.project, alike.labels, alike.holders, array_remove(picked, null),
          cardinality(alike.numbers)) l
      loop
        foreach n in array alike.numbers loop
          if picked[n] is null and not put_off[n]
              and (candidate.state <> 'ready' or coalesce(candidate.assignee_passport, holders[n]) = holders[n]) then
            if candidate.state = 'ready' then picked[n] := candidate.work_id; else put_off[n] := true; end if;
            exit;
          end if;
        end loop;
      end loop;
    end loop;

    began := date_trunc('milliseconds', clock_timestamp());
    return query with granted as materialized (
      select g.number::int - 1 as place, g.work_id, nextval('lease_fence') as fence, a.*,
        began + make_interval(secs => a.ttl) as ends
      from unnest(picked) with ordinality g (work_id, number)
      cross join lateral json_to_record(wanted -> (g.number::int - 1)) a (holder text, asked_by text, ttl int, lease_id text)
      where g.work_id is not null
    ), leased as (
      insert into lease (tenant_id, fence, kind, subject, lease_id, mode, holder_passport, held_by, acquired_at, renewed_at, expires_at)
      select me, g.fence, 'work', g.work_id, g.lease_id, 'write', g.holder, g.asked_by, began, began, g.ends from granted g
    )
    update work_item w set state = 'in_progress', assignee_passport = g.holder, version = w.version + 1, updated_at = began,
      lease_fence = g.fence, lease_holder = g.holder, lease_expires_at = g.ends
    from granted g where w.tenant_id = me and w.work_id = g.work_id
    returning g.place, false, w;

    for one in
      select w.* from rows from (json_to_recordset(wanted) as (project text, labels text[], holder text)) with ordinality
        w (project, labels, holder, number)
      where picked[w.number] is null
    loop
      place := one.number - 1;
      is_deferred := put_off[one.number] or exists (select from work_item w
        where w.tenant_id = me and (one.project is null or w.project_id = one.project) and w.open_blockers = 0
          and (w.state = 'ready' or (w.state = 'in_progress' and w.lease_fence is not null))
          and (w.state = 'ready' and coalesce(w.assignee_passport, one.holder) = one.holder or w.lease_expires_at <= clock_timestamp())
          and w.labels @> one.labels and w.project_id <> all(gated));
      item := null;
      return next;
    end loop;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_claim_work(me text, wanted text, holder text, asked_by text, ttl integer, new_lease text)
 RETURNS SETOF work_item
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
  declare
    began timestamptz := date_trunc('milliseconds', clock_timestamp());
    ends timestamptz := began + make_interval(secs => ttl);
    drawn bigint := nextval('lease_fence');
  begin
    insert into lease (tenant_id, fence, kind, subject, lease_id, mode, holder_passport, held_by, acquired_at, renewed_at, expires_at)
      values (me, drawn, 'work', wanted, new_lease, 'write', holder, asked_by, began, began, ends);
    return query update work_item w set state = 'in_progress', assignee_passport = holder, version = w.version + 1, updated_at = began,
        lease_fence = drawn, lease_holder = holder, lease_expires_at = ends
      where w.tenant_id = me and w.work_id = wanted returning w.*;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_compact_facts(me text, by_compaction uuid, keep_days integer, most integer)
 RETURNS TABLE(deleted integer, retired integer, held integer, more boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  declare
    nobody constant uuid := '00000000-0000-0000-0000-000000000000';
    seqs bigint[];
    one record;
  begin
    if session_user in ('svc_app', 'svc_operator') and nullif(current_setting('svc.tenant_id', true), '') is distinct from me then
      raise exception 'no unit of work of tenant % is open', me using errcode = 'insufficient_privilege';
    end if;
    perform set_config('svc.erased_tenant', me, true);
    perform svc_enter_facts(me);
    -- Once whoever writes to these chains now has ended, they stay as they are seen: heads are taken in the order of all.
    perform from fact_head h where h.tenant_id = me and h.chain in (
        select f.chain from fact f where f.tenant_id = me and not f.tombstone
          and (f.deleted_at is not null or f.superseded_at < now() - make_interval(days => keep_days)))
      order by h.chain for update;
    create temporary table compact_row on commit drop as
      select f.seq, f.chain, f.receipt_id, f.leaf_index, f.deleted_at is not null as is_deleted,
        svc_holds_on(me, f.entity) <> '{}' as is_held
      from fact f where f.tenant_id = me and not f.tombstone
        and (f.deleted_at is not null or f.superseded_at < now() - make_interval(days => keep_days))
        and not exists (select from fact q where q.tenant_id = me and q.chain = f.chain and q.quarantined);
    seqs := array(select c.seq from compact_row c where not c.is_held order by c.seq limit most);
    select count(*) filter (where c.is_deleted and c.seq = any(seqs)), count(*) filter (where not c.is_deleted and c.seq = any(seqs)),
        count(*) filter (where c.is_held), count(*) filter (where not c.is_held) > cardinality(seqs)
      into deleted, retired, held, more from compact_row c;
    delete from compact_row c where c.seq <> all(seqs);
    -- Records of a deleted chain are not counted any more.
    for one in
      select h.chain, h.owner, h.visibility, count(*)::int as records from compact_row c join fact_head h on h.tenant_id = me and h.chain = c.chain
        where not c.is_deleted group by 1, 2, 3 order by 1
    loop
      update fact_head h set records = h.records - one.records where h.tenant_id = me and h.chain = one.chain;
      perform svc_count_facts(me, '', one.visibility, -one.records, 0);
      if one.owner <> '' then
        perform svc_count_facts(me, one.owner, one.visibility, -one.records, 0);
      end if;
    end loop;
    update fact_head h set compacted = h.compacted + c.records
      from (select r.chain, count(*)::int as records from compact_row r group by 1) c where h.tenant_id = me and h.chain = c.chain;
    insert into erased_fact (tenant_id, receipt_id, leaf_index, erasure_id)
      select me, c.receipt_id, c.leaf_index, by_compaction from compact_row c where c.receipt_id is not null;
    update fact_batch b set facts = array(select case when e.leaf_index is null then u.id else nobody end
        from unnest(b.facts) with ordinality u (id, place)
        left join erased_fact e on e.tenant_id = me and e.receipt_id = b.receipt_id and e.leaf_index = u.place - 1 order by u.place)
      where b.tenant_id = me and b.receipt_id in (select c.receipt_id from compact_row c);
    delete from fact f using compact_row c where f.tenant_id = me and f.seq = c.seq;
    if cardinality(seqs) > 0 then
      -- Segments hold words of what went: all are made again, of what is left.
      delete from fact_segment s where s.tenant_id = me;
      update fact_index i set generation = i.generation + 1, sealed_seq = 0 where i.tenant_id = me;
    end if;
    drop table compact_row;
    return next;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_concerned_watches(owners text[], events uuid[])
 RETURNS TABLE(tenant_id text, owner text, event_id uuid)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
      #variable_conflict use_column
      begin
        return query
          with event as (
            select e.tenant_id as owner, e.event_id, e.kind, e.subject, e.data, e.transaction, e.position from outbox_event e
            join unnest(owners, events) n(tenant_id, event_id) using (tenant_id, event_id)
          ), concerned as (
            select w.tenant_id, e.owner, e.event_id, e.transaction, e.position, w.created_snapshot
            from event e
            join watch_source s on s.owner_tenant_id = e.owner and s.corpus_id = e.data ->> 'corpusId' and s.doc_id = e.data ->> 'docId'
            join watch w on w.tenant_id = s.tenant_id and w.watch_id = s.watch_id and w.ended_at is null
            where e.kind in ('document.indexed', 'document.withdrawn')
            union all
            select w.tenant_id, e.owner, e.event_id, e.transaction, e.position, w.created_snapshot
            from event e
            join watch w on w.resolved_type = 'query' and w.ended_at is null
              and (w.tenant_id = e.owner or (w.query ->> 'includeCommons')::boolean and (
                e.data ->> 'shareability' = 'public_safe'
                or e.data ->> 'shareability' = 'entitled_only' and exists (
                  select from entitlement t where t.tenant_id = w.tenant_id and t.publisher_tenant_id = e.owner and t.corpus_id = e.data ->> 'corpusId')))
              and (w.query -> 'corpusIds' = '[]' or w.query -> 'corpusIds' ? (e.data ->> 'corpusId'))
            where e.kind = 'document.indexed'
              and ((e.data ->> 'changedCount')::int > 0 or e.data ? 'previousShareability' and e.data ->> 'previousShareability' <> e.data ->> 'shareability')
            union all
            select w.tenant_id, e.owner, e.event_id, e.transaction, e.position, w.created_snapshot
            from event e
            join watch w on w.tenant_id = e.owner and w.resolved_type = 'query' and w.ended_at is null and (w.query ->> 'includeCommons')::boolean
              and (w.query -> 'corpusIds' = '[]' or w.query -> 'corpusIds' ? (e.data ->> 'corpusId'))
            where e.kind = 'entitlement.granted'
            union all
            select w.tenant_id, e.owner, e.event_id, e.transaction, e.position, w.created_snapshot
            from event e
            join watch_source s on s.tenant_id = e.owner and s.owner_tenant_id = e.data ->> 'publisher' and s.corpus_id = e.data ->> 'corpusId'
            join watch w on w.tenant_id = s.tenant_id and w.watch_id = s.watch_id and w.ended_at is null
            where e.kind = 'entitlement.ended'
            union all
            select w.tenant_id, e.owner, e.event_id, e.transaction, e.position, w.created_snapshot
            from event e
            join watch_source s on s.owner_tenant_id = e.owner and s.tenant_id <> e.owner
            join watch w on w.tenant_id = s.tenant_id and w.watch_id = s.watch_id and w.ended_at is null
            where e.kind = 'tenant.deleted'
            union all
            select w.tenant_id, e.owner, e.event_id, e.transaction, e.position, w.created_snapshot
            from event e
            join watch w on w.tenant_id = e.owner and w.resolved_type = 'answer' and md5(w.target_id) = md5(e.subject) and w.target_id = e.subject and w.ended_at is null
            where e.kind = 'answer.recorded'
            union all
            select w.tenant_id, e.owner, e.event_id, e.transaction, e.position, w.created_snapshot
            from event e
            join watch w on w.tenant_id = e.owner and w.resolved_type = e.data -> 'subject' ->> 'type' and md5(w.target_id) = md5(e.data -> 'subject' ->> 'id')
              and w.target_id = e.data -> 'subject' ->> 'id' and w.ended_at is null
            where e.kind = 'proof.completed' and e.data ->> 'verdict' <> 'holds'
          )
          select tenant_id, owner, event_id from concerned c join tenant t using (tenant_id)
          where t.tier <> 'free' and not coalesce(pg_visible_in_snapshot(c.transaction, c.created_snapshot), false)
          group by tenant_id, owner, event_id, c.transaction, c.position order by tenant_id, c.transaction, c.position;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_count_bundle_documents(publisher text, wanted uuid)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
      declare
        entered text := coalesce(current_setting('svc.tenant_id', true), '');
        found_documents bigint;
      begin
        perform set_config('svc.tenant_id', publisher, true);
        select count(*) into found_documents from bundle b join document d on d.tenant_id = b.tenant_id and d.corpus_id = any (b.corpora)
        where b.tenant_id = publisher and b.bundle_id = wanted and d.current_version is not null and d.shareability = 'entitled_only';
        perform set_config('svc.tenant_id', entered, true);
        return found_documents;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_count_bundle_sales(publisher text, wanted uuid)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
      declare
        sales bigint;
      begin
        perform set_config('svc.counted_publisher', publisher, true);
        select count(*) into sales from bundle_purchase p where p.publisher_tenant_id = publisher and p.bundle_id = wanted;
        perform set_config('svc.counted_publisher', '', true);
        return sales;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_count_facts(me text, of_scope text, of_visibility smallint, more_records bigint, more_current bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
  declare
    free int;
  begin
    select c.slot into free from fact_count c where c.tenant_id = me and c.scope = of_scope and c.visibility = of_visibility
      limit 1 for update skip locked;
    insert into fact_count as c (tenant_id, scope, visibility, slot, records, current)
      values (me, of_scope, of_visibility, coalesce(free, (random() * 2147483647)::int), more_records, more_current)
      on conflict (tenant_id, scope, visibility, slot)
      do update set records = c.records + excluded.records, current = c.current + excluded.current;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_count_held(me text, wanted_hold uuid)
 RETURNS TABLE(table_name text, row_count bigint, entity_count bigint)
 LANGUAGE plpgsql
 STABLE
AS $function$
  declare
    prefixes text[];
    pinned record;
  begin
    perform set_config('svc.tenant_id', me, true);
    select h.entity_prefixes into prefixes from legal_hold h where h.tenant_id = me and h.hold_id = wanted_hold;
    for pinned in
      -- Arguments of triggers end with a zero byte each.
      select c.relname, split_part(encode(t.tgargs, 'escape'), '\000', 1) as names
      from pg_trigger t join pg_class c on c.oid = t.tgrelid where t.tgname = 'legal_hold' order by c.relname
    loop
      table_name := pinned.relname;
      execute format('select count(distinct r.ctid), count(distinct e.name) from %I r, unnest(%s) e (name)
        where r.tenant_id = $1 and ($2 = ''{}'' or exists (select from unnest($2) prefix where starts_with(e.name, prefix)))', pinned.relname, pinned.names)
        into row_count, entity_count using me, prefixes;
      if row_count > 0 then
        return next;
      end if;
    end loop;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_count_kind(me text, of_kind text, role text, added integer)
 RETURNS void
 LANGUAGE sql
AS $function$
    insert into graph_kind as k (tenant_id, kind, used_by, slot, live) values (me, of_kind, role, pg_backend_pid() % 16, added)
      on conflict (tenant_id, kind, used_by, slot) do update set live = k.live + excluded.live
  $function$
;

CREATE OR REPLACE FUNCTION public.svc_count_tool_call(me text, called_by text, call_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
  declare
    starts timestamptz := date_trunc('minute', clock_timestamp());
  begin
    perform set_config('svc.tenant_id', me, true), set_config('synchronous_commit', 'off', true);
    insert into tool_window as w (tenant_id, principal, window_start, calls) values (me, called_by, starts, 1)
      on conflict (tenant_id, principal, window_start) do update set calls = w.calls + 1 where w.calls < call_limit;
    if found then
      return 0;
    end if;
    return greatest(1, ceil(extract(epoch from starts + interval '1 minute' - clock_timestamp())));
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_count_tool_calls(me text, called_by text, call_limit integer, wanted integer, OUT counted integer, OUT wait integer)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
  declare
    starts timestamptz := date_trunc('minute', clock_timestamp());
  begin
    perform set_config('svc.tenant_id', me, true), set_config('synchronous_commit', 'off', true);
    counted := 0;
    wait := 0;
    insert into tool_window as w (tenant_id, principal, window_start, calls)
      select me, called_by, starts, wanted where wanted <= call_limit
      on conflict (tenant_id, principal, window_start) do update set calls = w.calls + wanted
        where w.calls + wanted <= call_limit;
    if found then
      counted := wanted;
      return;
    end if;
    while counted < wanted loop
      wait := svc_count_tool_call(me, called_by, call_limit);
      exit when wait > 0;
      counted := counted + 1;
    end loop;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_delete_edge(me text, source_kind text, source_id text, of_kind text, target_kind text, target_id text, actor text, event uuid)
 RETURNS SETOF graph_edge
 LANGUAGE plpgsql
AS $function$
  declare
    head graph_edge;
  begin
    perform set_config('svc.tenant_id', me, true);
    update graph_edge e set version = e.version + 1, is_deleted = true, updated_at = clock_timestamp(), updated_by = actor
      where e.tenant_id = me and e.from_kind = source_kind and e.from_id = source_id and e.edge_kind = of_kind and e.to_kind = target_kind
        and e.to_id = target_id and not e.is_deleted returning * into head;
    if not found then
      return;
    end if;
    perform svc_count_kind(me, of_kind, 'edge', -1);
    perform svc_tell_edge(head, 'edge.deleted', event);
    return next head;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_delete_entity(me text, of_kind text, of_id text, actor text, event uuid)
 RETURNS SETOF graph_entity
 LANGUAGE plpgsql
AS $function$
  declare
    head graph_entity;
  begin
    perform set_config('svc.tenant_id', me, true);
    update graph_entity e set version = e.version + 1, is_deleted = true, updated_at = clock_timestamp()
      where e.tenant_id = me and e.kind = of_kind and e.id = of_id and not e.is_deleted returning * into head;
    if not found then
      return;
    end if;
    insert into graph_entity_version (tenant_id, kind, id, version, payload, is_deleted, stored_by, stored_at)
      select me, of_kind, of_id, head.version, v.payload, true, actor, head.updated_at from graph_entity_version v
      where v.tenant_id = me and v.kind = of_kind and v.id = of_id and v.version = head.version - 1;
    perform svc_count_kind(me, of_kind, 'entity', -1);
    perform svc_tell_entity(head, 'entity.deleted', actor, event);
    return next head;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_drop_vectors()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        execute format(
          'with dropped as ('
          '  delete from memory_vector v using gone g where v.tenant_id = g.tenant_id and v.kind = $1 and v.item_id = g.%I::text '
          '  returning v.tenant_id, v.space_id, v.kind) '
          'update memory_vector_state s set removals = s.removals + 1 from (select distinct * from dropped) d '
          'where s.tenant_id = d.tenant_id and s.space_id = d.space_id and s.kind = d.kind', tg_argv[1]) using tg_argv[0];
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_emit_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    insert into outbox_event (tenant_id, event_id, kind, subject, data) values (new.tenant_id, gen_random_uuid(),
      'shield.approval_' || case new.state when 'pending' then 'requested' else new.state end, new.approval_request_id,
      jsonb_build_object('approvalRequestId', new.approval_request_id, 'status', new.state, 'principal', new.principal, 'action', new.action,
        'argumentsDigest', 'sha256:' || encode(new.arguments_digest, 'hex'), 'policyVersion', new.policy_version, 'expiresAt', new.expires_at,
        'resolvedBy', new.resolved_by, 'reason', coalesce(new.end_reason, new.resolution_reason, new.reason)));
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_emit_decision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    insert into outbox_event (tenant_id, event_id, kind, subject, data) values (new.tenant_id, new.decision_id, 'shield.decision', new.decision_id,
      jsonb_build_object('decisionId', new.decision_id, 'principal', new.principal, 'action', new.action, 'serverId', new.server_id,
        'toolDigest', new.tool_digest, 'argumentsDigest', 'sha256:' || encode(new.arguments_digest, 'hex'), 'outcome', new.outcome,
        'rule', new.rule, 'denial', case when new.outcome = 'deny' then jsonb_build_object('type', new.denial_type, 'reason', new.reason) end,
        'policyVersion', new.policy_version, 'approvalRequestId', new.approval_request_id, 'sampled', new.sampled_by <> '{}'));
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_emit_entitlement()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      declare
        entitlement record := coalesce(new, old);
      begin
        insert into outbox_event (tenant_id, event_id, kind, subject, data)
        values (entitlement.tenant_id, gen_random_uuid(), case when tg_op = 'DELETE' then 'entitlement.ended' else 'entitlement.granted' end,
          entitlement.corpus_id, jsonb_build_object('publisher', entitlement.publisher_tenant_id, 'corpusId', entitlement.corpus_id));
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_end_agent_principal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      declare
        entered text := coalesce(current_setting('svc.tenant_id', true), '');
        acts_in text := coalesce(new.sponsor_tenant_id, new.tenant_id);
      begin
        perform set_config('svc.tenant_id', acts_in, true);
        insert into principal_end (tenant_id, principal, reason) values (acts_in, 'agent:' || new.agent_id, 'agent released');
        perform set_config('svc.tenant_id', entered, true);
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_end_approvals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    update shield_approval set state = 'void', ended_at = now(), end_reason = 'The principal that asked has ended: ' || new.reason
      where tenant_id = new.tenant_id and principal = new.principal and state in ('pending', 'approved');
    update shield_approval set state = 'void', ended_at = now(), end_reason = 'The principal that approved has ended: ' || new.reason
      where tenant_id = new.tenant_id and resolved_by = new.principal and state = 'approved';
    update shield_ui_session set state = 'ended', closed_at = now()
      where tenant_id = new.tenant_id and principal = new.principal and state = 'open';
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_end_held()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  declare
    ended text := substr(new.principal, 10);
    clock timestamptz := date_trunc('milliseconds', clock_timestamp());
  begin
    update work_gate set expires_at = least(expires_at, clock), reason = 'The passport that asked has been revoked'
      where tenant_id = new.tenant_id and status = 'pending' and (requested_passport = ended or requested_principal = new.principal);
    update work_gate set may_decide = array_remove(array_remove(may_decide, ended), new.principal)
      where tenant_id = new.tenant_id and status = 'pending' and may_decide && array[ended, new.principal];
    update work_gate set expires_at = least(expires_at, clock), reason = 'The only passport that may decide has been revoked'
      where tenant_id = new.tenant_id and status = 'pending' and may_decide = '{}';
    update work_item w set lease_expires_at = least(w.lease_expires_at, clock) from lease l
      where l.tenant_id = new.tenant_id and l.kind = 'work' and l.status = 'held' and (l.holder_passport = ended or l.held_by = ended)
        and w.tenant_id = l.tenant_id and w.work_id = l.subject and w.lease_fence = l.fence;
    update lease set expires_at = least(expires_at, clock)
      where tenant_id = new.tenant_id and status = 'held' and (holder_passport = ended or held_by = ended);
    update coord_intent set expires_at = least(expires_at, clock)
      where tenant_id = new.tenant_id and (by_passport = ended or announced_by = new.principal);
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_end_invitations()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        update seat set invite_hash = null, invite_expires_at = null, invite_issuer = null
          where tenant_id = new.tenant_id and invite_issuer = new.principal and invite_hash is not null;
        if new.principal like 'seat:%' then
          update seat set invite_hash = null, invite_expires_at = null, invite_issuer = null
            where tenant_id = new.tenant_id and seat_id = substr(new.principal, 6)::uuid and invite_hash is not null;
        end if;
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_end_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        insert into principal_end (tenant_id, principal, reason) values (new.tenant_id, 'key:' || new.key_id, 'key revoked');
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_end_passport()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    insert into principal_end (tenant_id, principal, reason) values (new.tenant_id, 'passport:' || new.passport_id, 'passport revoked');
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_end_seat()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        insert into principal_end (tenant_id, principal, reason) values (new.tenant_id, 'seat:' || new.seat_id,
          case when new.status = 'revoked' then 'seat revoked' else 'role changed' end);
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_end_sessions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        update session set ended_at = now() where tenant_id = new.tenant_id and principal = new.principal and ended_at is null;
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_end_watches()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        if new.principal like 'key:%' or new.reason = 'role changed' and exists (
          select from seat s where s.tenant_id = new.tenant_id and 'seat:' || s.seat_id = new.principal and s.role <> 'viewer') then
          return null;
        end if;
        with ended as (
          update watch set ended_at = now(), ended_by = new.principal
          where tenant_id = new.tenant_id and principal = new.principal and ended_at is null returning watch_id
        )
        update webhook_endpoint e set deleted_at = now(), deleted_by = new.principal from ended
        where e.tenant_id = new.tenant_id and e.watch_id = ended.watch_id and e.deleted_at is null;
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_enter_facts(me text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
  begin
    perform set_config('svc.tenant_id', me, true);
    -- So that no seq is drawn before the transaction has its number: readers may go by either.
    perform pg_current_xact_id();
    perform pg_advisory_xact_lock_shared(hashtextextended('svc facts ' || me, 0));
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_enter_holds()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    perform pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtextextended(
      'svc holds ' || coalesce(current_setting('svc.tenant_id', true), ''), 0));
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_enter_rows()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        perform pg_advisory_xact_lock_shared(hashtextextended(
          'svc ' || tg_table_name || ' ' || coalesce(current_setting('svc.tenant_id', true), ''), 0));
        return null;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_enter_sync()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    perform pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtextextended(
      'svc facts ' || coalesce(current_setting('svc.tenant_id', true), ''), 0));
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_erase_found(me text, by_erasure uuid, receipts uuid[], receipt_leaves bytea[], retrievals bytea[])
 RETURNS TABLE(name text, erased bigint, shards uuid[])
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  declare
    nobody constant uuid := '00000000-0000-0000-0000-000000000000';
    one record;
    rule record;
    n bigint;
    touched uuid[];
  begin
    if session_user in ('svc_app', 'svc_operator') and nullif(current_setting('svc.tenant_id', true), '') is distinct from me then
      raise exception 'no unit of work of tenant % is open', me using errcode = 'insufficient_privilege';
    end if;
    perform set_config('svc.erased_tenant', me, true);
    -- Sync takes this one alone, before that of the holds, which triggers share as rows go.
    perform pg_advisory_xact_lock_shared(hashtextextended('svc facts ' || me, 0));
    perform from fact_head h join pg_temp.erase_chain c using (chain) where h.tenant_id = me order by h.chain for update of h;
    perform from ingest_file f where f.tenant_id = me
      and (exists (select from pg_temp.erase_document d where d.corpus_id = f.corpus_id and d.doc_id = f.doc_id)
        or exists (select from pg_temp.erase_row e where e.target = 'ingest_file' and e.place = f.ctid and e.seen = f.xmin)) order by f.ingest_id for update of f;
    perform from document o join pg_temp.erase_document d using (corpus_id, doc_id) where o.tenant_id = me
      order by o.corpus_id collate "C", o.doc_id collate "C" for update of o;
    -- As ingest sorts them (shardChangesOf).
    perform from index_shard s where s.tenant_id = me and s.corpus_id in (select d.corpus_id from pg_temp.erase_document d)
      order by to_json(array[s.corpus_id, s.shareability])::text collate "C", s.language for update of s;
    if exists (select from pg_temp.erase_chain) then
      for one in
        select s.scope, h.visibility, -sum(h.records) as records, -count(*) filter (where h.records > 0) as current
        from fact_head h join pg_temp.erase_chain using (chain) cross join lateral unnest(case when h.owner = '' then array[''] else array['', h.owner] end) s (scope)
        where h.tenant_id = me group by 1, 2
      loop
        perform svc_count_facts(me, one.scope, one.visibility, one.records::bigint, one.current);
      end loop;
      -- The leaf stays, for the others of the batch; without the id, which is random, nobody can guess what it was of.
      insert into erased_fact (tenant_id, receipt_id, leaf_index, erasure_id)
        select me, f.receipt_id, f.leaf_index, by_erasure from fact f join pg_temp.erase_chain using (chain) where f.tenant_id = me and f.receipt_id is not null;
      update fact_batch b set facts = array(select case when e.leaf_index is null then u.id else nobody end
          from unnest(b.facts) with ordinality u (id, place) left join erased_fact e on e.tenant_id = me and e.receipt_id = b.receipt_id and e.leaf_index = u.place - 1
          order by u.place)
        where b.tenant_id = me and b.receipt_id in (select e.receipt_id from erased_fact e where e.tenant_id = me and e.erasure_id = by_erasure);
      delete from fact f using pg_temp.erase_chain c where f.tenant_id = me and f.chain = c.chain;
      get diagnostics n = row_count;
      return query select 'fact', n, null::uuid[];
      delete from fact_head h using pg_temp.erase_chain c where h.tenant_id = me and h.chain = c.chain;
      -- Segments hold words of what went: all are made again, of what is left.
      delete from fact_segment s where s.tenant_id = me;
      get diagnostics n = row_count;
      return query select 'fact_segment', n, null::uuid[];
      update fact_index i set generation = i.generation + 1, sealed_seq = 0 where i.tenant_id = me;
    end if;

    if exists (select from pg_temp.erase_document) then
      -- Every search passes over the passages from the commit on; the segments are rewritten after.
      with gone as (
        select distinct s.shard_id, c.chunk_id from chunk c join pg_temp.erase_document d using (corpus_id, doc_id)
          join index_shard s on s.tenant_id = me and s.corpus_id = c.corpus_id where c.tenant_id = me
      ), moved as (
        update index_shard s set generation = s.generation + 1 from (select distinct shard_id from gone) g
          where s.tenant_id = me and s.shard_id = g.shard_id returning s.shard_id, s.generation
      ), buried as (
        insert into index_tombstone (tenant_id, shard_id, chunk_id, generation)
          select me, g.shard_id, g.chunk_id, m.generation from gone g join moved m using (shard_id)
          on conflict (tenant_id, shard_id, chunk_id) do update set generation = excluded.generation
      )
      select coalesce(array_agg(m.shard_id), '{}') into touched from moved m;
      return query select 'index_shard', cardinality(touched)::bigint, touched;
      delete from chunk_vector v using chunk c, pg_temp.erase_document d
        where v.tenant_id = me and c.tenant_id = me and c.chunk_id = v.chunk_id and c.corpus_id = d.corpus_id and c.doc_id = d.doc_id;
      get diagnostics n = row_count;
      return query select 'chunk_vector', n, null::uuid[];
      -- As with facts: the leaf stays in its batch, without the id.
      insert into erased_document (tenant_id, receipt_id, leaf_index, erasure_id)
        select me, b.receipt_id, u.place - 1, by_erasure
        from (select i.ingest_id, unnest(array[i.receipt_id, i.completed_id]) as receipt_id
          from ingest i join pg_temp.erase_document d using (corpus_id, doc_id) where i.tenant_id = me) i
        join ingest_batch b on b.tenant_id = me and b.receipt_id = i.receipt_id
        cross join lateral unnest(b.ingests) with ordinality u (id, place) where u.id = i.ingest_id;
      update ingest_batch b set ingests = array(select case when e.leaf_index is null then u.id else nobody end
          from unnest(b.ingests) with ordinality u (id, place) left join erased_document e on e.tenant_id = me and e.receipt_id = b.receipt_id and e.leaf_index = u.place - 1
          order by u.place)
        where b.tenant_id = me and b.receipt_id in (select e.receipt_id from erased_document e where e.tenant_id = me and e.erasure_id = by_erasure);
      for rule in select unnest(array['chunk', 'ingest', 'document_version', 'document']) as name loop
        execute format('delete from %I r using pg_temp.erase_document d where r.tenant_id = $1 and r.corpus_id = d.corpus_id and r.doc_id = d.doc_id', rule.name) using me;
        get diagnostics n = row_count;
        return query select rule.name, n, null::uuid[];
      end loop;
    end if;

    for one in select g.edge_kind as kind, -count(*)::int as less from graph_edge g join pg_temp.erase_row e on e.target = 'graph_edge' and e.place = g.ctid and e.seen = g.xmin
      where g.tenant_id = me and not g.is_deleted group by 1
    loop
      perform svc_count_kind(me, one.kind, 'edge', one.less);
    end loop;
    for one in select x.kind, -count(*)::int as less from graph_entity x join pg_temp.erase_node using (kind, id) where x.tenant_id = me and not x.is_deleted group by 1 loop
      perform svc_count_kind(me, one.kind, 'entity', one.less);
    end loop;
    -- The next segments go on from these, here and on nodes that have copies; and none of these comes back as a copy.
    insert into erased_segment (tenant_id, node_id, segment_seq, digest, erasure_id)
      select me, '', s.segment_seq, s.digest, by_erasure from sealed_segment s join pg_temp.erase_row e on e.target = 'sealed_segment' and e.place = s.ctid and e.seen = s.xmin where s.tenant_id = me
      union all
      select me, s.node_id, s.segment_seq, s.digest, by_erasure from replicated_segment s join pg_temp.erase_row e on e.target = 'replicated_segment' and e.place = s.ctid and e.seen = s.xmin where s.tenant_id = me;
    for rule in
      with recursive placed (name, depth) as (
        select r.name collate "C", 0 from svc_erasure_rules() r where r.effect = 'delete' or r.name = 'graph_edge'
        union
        select c.relname::text collate "C", p.depth + 1 from placed p join pg_constraint k on k.confrelid = to_regclass('public.' || p.name) and k.contype = 'f' and k.conrelid <> k.confrelid
          join pg_class c on c.oid = k.conrelid where p.depth < 20
      )
      select p.name from placed p where exists (select from pg_temp.erase_row e where e.target = p.name) group by 1 order by max(p.depth) desc, 1
    loop
      execute format('delete from %I r where r.ctid = any(array(select e.place from pg_temp.erase_row e where e.target = %L)) and r.tenant_id = $1
        and exists (select from pg_temp.erase_row e where e.target = %L and e.place = r.ctid and e.seen = r.xmin)', rule.name, rule.name, rule.name) using me;
      get diagnostics n = row_count;
      return query select rule.name, n, null::uuid[];
    end loop;
    for rule in select unnest(array['graph_entity_version', 'graph_entity']) as name loop
      execute format('delete from %I r using pg_temp.erase_node e where r.tenant_id = $1 and r.kind = e.kind and r.id = e.id', rule.name) using me;
      get diagnostics n = row_count;
      if n > 0 then
        return query select rule.name, n, null::uuid[];
      end if;
    end loop;
    for rule in select r.* from svc_erasure_rules() r where r.effect = 'blank' and exists (select from pg_temp.erase_row e where e.target = r.name) loop
      execute format('update %I r set %s where r.ctid = any(array(select e.place from pg_temp.erase_row e where e.target = %L)) and r.tenant_id = $1
          and exists (select from pg_temp.erase_row e where e.target = %L and e.place = r.ctid and e.seen = r.xmin)', rule.name,
        (select string_agg(format('%I = case when %I is null then null else %L::%s end', a.attname, a.attname,
            case format_type(a.atttypid, null) when 'json' then '[]' when 'jsonb' then '[]' when 'text[]' then '{}' else '[erased]' end,
            format_type(a.atttypid, null)), ', ')
          from pg_attribute a where a.attrelid = to_regclass(rule.name) and a.attname = any(rule.blanks)) ||
        -- With the salt of a digest in hand, a guess of what was emptied could be confirmed.
        coalesce((select ', salt = null' from pg_attribute a where a.attrelid = to_regclass(rule.name) and a.attname = 'salt'
          and a.atttypid = 'bytea'::regtype and not a.attnotnull), ''), rule.name, rule.name) using me;
      get diagnostics n = row_count;
      return query select rule.name, n, null::uuid[];
    end loop;

    insert into erased_receipt (tenant_id, record_digest, stream, seq, prev_hash, payload_hash, erasure_id)
      select me, d.digest, r.stream, r.seq, r.prev_hash, r.payload_hash, by_erasure
      from unnest(receipts, receipt_leaves) d (receipt_id, digest) join receipt r on r.tenant_id = me and r.receipt_id = d.receipt_id;
    delete from receipt r where r.tenant_id = me and r.receipt_id = any(receipts);
    get diagnostics n = row_count;
    return query select 'receipt', n, null::uuid[];
    insert into erased_receipt (tenant_id, record_digest, erasure_id)
      select me, r.record_digest, by_erasure from retrieval_receipt r where r.tenant_id = me and r.record_digest = any(retrievals);
    delete from retrieval_receipt r where r.tenant_id = me and r.record_digest = any(retrievals);
    get diagnostics n = row_count;
    return query select 'retrieval_receipt', n, null::uuid[];
    drop table pg_temp.erase_term, pg_temp.erase_text, pg_temp.erase_row, pg_temp.erase_chain, pg_temp.erase_document, pg_temp.erase_node, pg_temp.erase_record;
    perform set_config('svc.erased_tenant', '', true);
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_erase_records(wanted_tenant text, receipts uuid[], retrievals bytea[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  declare
    erased int;
    kept uuid[];
    more int;
  begin
    perform pg_advisory_xact_lock_shared(hashtextextended('svc holds ' || wanted_tenant, 0));
    kept := array(select h.hold_id from legal_hold h where h.tenant_id = wanted_tenant and h.released_at is null order by 1);
    if kept <> '{}' then
      raise exception 'a legal hold keeps tenant %', wanted_tenant using errcode = 'SVH01', detail = to_json(kept)::text,
        hint = 'tenant:' || wanted_tenant, table = 'tenant', constraint = wanted_tenant;
    end if;
    perform set_config('svc.erased_tenant', wanted_tenant, true);
    if not exists (select from tenant t where t.tenant_id = wanted_tenant and t.state = 'deleted' and t.erasure_began_at is not null) then
      raise exception 'the erasure of tenant % has not begun', wanted_tenant using errcode = 'object_not_in_prerequisite_state';
    end if;
    delete from receipt r where r.tenant_id = wanted_tenant and r.receipt_id = any(receipts) and r.stream <> 'tenant';
    get diagnostics erased = row_count;
    delete from retrieval_receipt r where r.tenant_id = wanted_tenant and r.record_digest = any(retrievals);
    get diagnostics more = row_count;
    perform set_config('svc.erased_tenant', '', true);
    return erased + more;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_erase_rows(wanted_tenant text, target regclass, at_most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  declare
    condition text := case target
      when 'receipt_head'::regclass then 'r.stream <> ''tenant'''
      when 'outbox_event'::regclass then 'r.kind <> ''tenant.erased'''
      else 'true' end;
    erased int;
    kept uuid[];
  begin
    if target in ('tenant'::regclass, 'receipt'::regclass, 'retrieval_receipt'::regclass) or not exists (
      select from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where c.oid = target and c.relnamespace = 'public'::regnamespace and c.relkind = 'r') then
      raise exception '% is no table of tenants'' rows', target using errcode = 'invalid_parameter_value';
    end if;
    perform pg_advisory_xact_lock_shared(hashtextextended('svc holds ' || wanted_tenant, 0));
    kept := array(select h.hold_id from legal_hold h where h.tenant_id = wanted_tenant and h.released_at is null order by 1);
    if kept <> '{}' then
      raise exception 'a legal hold keeps tenant %', wanted_tenant using errcode = 'SVH01', detail = to_json(kept)::text,
        hint = 'tenant:' || wanted_tenant, table = 'tenant', constraint = wanted_tenant;
    end if;
    perform set_config('svc.erased_tenant', wanted_tenant, true);
    if not exists (select from tenant t where t.tenant_id = wanted_tenant and t.state = 'deleted' and t.erasure_began_at is not null) then
      raise exception 'the erasure of tenant % has not begun', wanted_tenant using errcode = 'object_not_in_prerequisite_state';
    end if;
    select coalesce(condition || string_agg(format(' and not exists (select from %s o where %s)', target, (
        select string_agg(format('o.%I = r.%I', child.attname, parent.attname), ' and ')
        from unnest(k.conkey, k.confkey) as pair (child_no, parent_no)
          join pg_attribute child on child.attrelid = target and child.attnum = pair.child_no
          join pg_attribute parent on parent.attrelid = target and parent.attnum = pair.parent_no)), ''), condition)
      into condition from pg_constraint k where k.conrelid = target and k.confrelid = target and k.contype = 'f';
    execute format('delete from %s where ctid = any(array(select r.ctid from %s r where r.tenant_id = $1 and %s limit $2))',
      target, target, condition) using wanted_tenant, at_most;
    get diagnostics erased = row_count;
    perform set_config('svc.erased_tenant', '', true);
    return erased;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_erasure_rules()
 RETURNS TABLE(name text, effect text, names text[], blanks text[], up boolean)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select r.name, r.effect, string_to_array(r.names, ' '), string_to_array(r.blanks, ' '), r.up from (values
    ('access_request', 'delete', 'request_id', '', false),
    ('access_request_change', 'delete', '', '', false),
    ('agent', 'blank', '', 'display_name callback_url fingerprint', false),
    ('agent_activity', 'delete', '', '', false),
    ('agent_home', 'delete', 'home_id', '', false),
    ('agent_retrieval', 'delete', 'retrieval_id', '', false),
    ('answer', 'delete', 'answer', '', false),
    ('api_key', 'blank', '', 'label revoke_reason', false),
    ('blast_radius', 'blank', '', 'root_key', false),
    ('blast_radius_edge', 'keep', '', '', false),
    ('blast_radius_node', 'blank', '', 'key', false),
    ('bundle', 'blank', '', 'title description withdrawn_reason', false),
    ('bundle_purchase', 'keep', '', '', false),
    ('candidate', 'delete', '', '', false),
    ('capability_audit', 'blank', '', 'auditor notes', false),
    ('chunk', 'own', '', '', false),
    ('chunk_vector', 'own', '', '', false),
    ('citation', 'delete', 'answer', '', true),
    ('conversion', 'keep', '', '', false),
    ('conversion_event', 'keep', '', '', false),
    ('coord_intent', 'delete', 'intent_id', '', false),
    ('corpus', 'keep', '', '', false),
    ('credit_spending', 'keep', '', '', false),
    ('document', 'own', '', '', false),
    ('document_version', 'own', '', '', false),
    ('dossier', 'delete', 'dossier_id', '', false),
    ('dossier_anchor', 'delete', '', '', true),
    ('engram_label', 'delete', '', '', false),
    ('entitlement', 'keep', '', '', false),
    ('erased_document', 'keep', '', '', false),
    ('erased_fact', 'keep', '', '', false),
    ('erased_receipt', 'keep', '', '', false),
    ('erased_segment', 'keep', '', '', false),
    ('erasure', 'keep', '', '', false),
    ('erasure_request', 'keep', '', '', false),
    ('extension', 'blank', '', 'display_name description arguments', false),
    ('extension_call', 'keep', '', '', false),
    ('extraction', 'keep', '', '', false),
    ('fact', 'own', '', '', false),
    ('fact_actor', 'delete', '', '', false),
    ('fact_batch', 'own', '', '', false),
    ('fact_count', 'keep', '', '', false),
    ('fact_head', 'own', '', '', false),
    ('fact_index', 'own', '', '', false),
    ('fact_segment', 'own', '', '', false),
    ('fact_settled', 'keep', '', '', false),
    ('fact_source_ref', 'delete', '', '', false),
    ('feedback_request', 'blank', '', 'title body', false),
    ('feedback_request_change', 'blank', '', 'reason note', false),
    ('feedback_vote', 'keep', '', '', false),
    ('github_delivery', 'keep', '', '', false),
    ('github_integration', 'keep', '', '', false),
    ('github_item', 'blank', '', 'title', false),
    ('graph_edge', 'own', '', '', false),
    ('graph_entity', 'own', '', '', false),
    ('graph_entity_version', 'own', '', '', false),
    ('graph_kind', 'keep', '', '', false),
    ('idempotent_request', 'delete', '', '', false),
    ('identity_link', 'delete', 'link_id', '', false),
    ('incident', 'blank', '', 'title entities notes', false),
    ('index_garbage', 'own', '', '', false),
    ('index_posting', 'own', '', '', false),
    ('index_segment', 'own', '', '', false),
    ('index_shard', 'own', '', '', false),
    ('index_tombstone', 'own', '', '', false),
    ('ingest', 'own', '', '', false),
    ('ingest_batch', 'own', '', '', false),
    ('ingest_file', 'delete', 'ingest_id', '', false),
    ('journal_entry', 'delete', 'entry_id', '', false),
    ('lease', 'blank', '', 'reason', false),
    ('legal_hold', 'keep', '', '', false),
    ('hold_refusal', 'keep', '', '', false),
    ('ledger_account', 'keep', '', '', false),
    ('ledger_allowance', 'keep', '', '', false),
    ('ledger_entry', 'keep', '', '', false),
    ('ledger_transfer', 'blank', '', 'note', false),
    ('memory_case', 'delete', 'case_id', '', false),
    ('memory_case_term', 'keep', '', '', false),
    ('memory_vector', 'own', '', '', false),
    ('memory_vector_state', 'keep', '', '', false),
    ('observe_session', 'keep', '', '', false),
    ('observe_step', 'blank', '', 'label actor inputs outputs enrich_ref reasoning_ref', false),
    ('orchestrator', 'blank', '', 'name', false),
    ('orchestrator_member', 'keep', '', '', false),
    ('outbox_event', 'delete', 'event_id', '', false),
    ('outgoing_mail', 'delete', '', '', false),
    ('passport', 'blank', '', 'display_name revoke_reason', false),
    ('passport_mint_request', 'blank', '', 'display_name why reason', false),
    ('passport_presence', 'keep', '', '', false),
    ('peer_log_peer', 'keep', '', '', false),
    ('plane', 'blank', '', 'name description', false),
    ('primitive', 'delete', '', '', false),
    ('primitive_pin', 'delete', '', '', false),
    ('primitive_version', 'delete', '', '', true),
    ('principal_end', 'keep', '', '', false),
    ('project', 'blank', '', 'name planning_target', false),
    ('project_passport', 'blank', '', 'role', false),
    ('project_repo', 'blank', '', 'role', false),
    ('project_tenant', 'keep', '', '', false),
    ('proof_job', 'delete', 'job_id', '', false),
    ('proof_job_chunk', 'delete', '', '', true),
    ('proof_upstream_claim', 'delete', '', '', false),
    ('quota_window', 'keep', '', '', false),
    ('receipt', 'own', '', '', false),
    ('receipt_head', 'own', '', '', false),
    ('receipt_tally', 'own', '', '', false),
    ('relation', 'keep', '', '', false),
    ('result_envelope', 'delete', '', '', false),
    ('retrieval', 'delete', 'retrieval_id', '', false),
    ('retrieval_ledger', 'delete', 'retrieval_id', '', false),
    ('retrieval_receipt', 'own', '', '', false),
    ('revenue_declaration', 'blank', '', 'note', false),
    ('revenue_declaration_change', 'blank', '', 'reason', false),
    ('replicated_segment', 'delete', '', '', false),
    ('scim_group', 'keep', '', '', false),
    ('scim_member', 'keep', '', '', false),
    ('scim_user', 'keep', '', '', false),
    ('sealed_segment', 'delete', '', '', false),
    ('seat', 'keep', '', '', false),
    ('seat_event', 'blank', '', 'reason', false),
    ('session', 'keep', '', '', false),
    ('shield_approval', 'delete', 'approval_request_id', '', false),
    ('shield_decision', 'delete', '', '', false),
    ('shield_digest', 'blank', '', 'reason', false),
    ('shield_drill', 'blank', '', 'reason', false),
    ('shield_kill_switch', 'blank', '', 'reason lift_reason', false),
    ('shield_policy', 'keep', '', '', false),
    ('shield_publisher', 'blank', '', 'reason', false),
    ('shield_sampling_policy', 'keep', '', '', false),
    ('shield_server', 'blank', '', 'reason', false),
    ('shield_spending', 'keep', '', '', false),
    ('shield_ui_session', 'delete', '', '', false),
    ('storybook', 'delete', '', '', false),
    ('stream_event', 'delete', 'stream', '', false),
    ('stream_head', 'delete', 'stream', '', false),
    ('studio_install', 'keep', '', '', false),
    ('survey_response', 'delete', 'response_id', '', false),
    ('sync_change', 'keep', '', '', false),
    ('sync_content', 'delete', '', '', false),
    ('sync_exchange', 'blank', '', 'message', false),
    ('sync_exchange_part', 'keep', '', '', false),
    ('sync_peer', 'keep', '', '', false),
    ('sync_record', 'own', '', '', false),
    ('sync_tenant', 'keep', '', '', false),
    ('tenant_setting', 'keep', '', '', false),
    ('tool_window', 'keep', '', '', false),
    ('usage_event', 'keep', '', '', false),
    ('watch', 'delete', 'watch_id', '', false),
    ('watch_alert', 'delete', 'alert_id', '', false),
    ('watch_seen', 'delete', '', '', false),
    ('watch_source', 'delete', '', '', true),
    ('webhook_attempt', 'delete', '', '', false),
    ('webhook_delivery', 'delete', 'delivery_id', '', false),
    ('webhook_endpoint', 'delete', 'endpoint_id', '', false),
    ('workbench_command', 'blank', '', 'session_id command cwd salt', false),
    ('work_blocker', 'keep', '', '', false),
    ('work_comment', 'blank', '', 'body', false),
    ('work_gate', 'blank', '', 'why reason', false),
    ('work_gate_policy', 'keep', '', '', false),
    ('work_item', 'blank', '', 'title body linked_pr linked_issue blocker_reason', false),
    ('work_transition', 'blank', '', 'why', false),
    ('workspace_file', 'delete', '', '', false),
    ('workspace_scan', 'blank', '', 'left_out', false),
    ('workspace_symbol', 'delete', '', '', false)
  ) r (name, effect, names, blanks, up) $function$
;

CREATE OR REPLACE FUNCTION public.svc_expand_relations(me text, seeds bigint[], wanted text[], most_hops integer, budget integer, least_confidence real, decay double precision, OUT artifacts json, OUT edges_traversed integer, OUT edge_types_used text[], OUT hops_used integer)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
  declare
    known bigint[];
    known_hops integer[];
    known_scores double precision[];
    frontier bigint[];
    frontier_scores double precision[];
    reached bigint[];
    reached_scores double precision[];
    reached_by text[];
    types text[] := '{}';
  begin
    perform set_config('svc.tenant_id', me, true);
    select array_agg(s.id order by s.id), array_agg(1.0::double precision) into frontier, frontier_scores
      from (select distinct unnest(seeds) as id) s;
    known := frontier;
    known_scores := frontier_scores;
    known_hops := array_fill(0, array[cardinality(frontier)]);
    edges_traversed := 0;
    hops_used := 0;
    for hop in 1..most_hops loop
      exit when edges_traversed = budget or cardinality(frontier) = 0;
      select array_agg(r.to_id), array_agg(r.score * r.confidence * decay), array_agg(distinct r.edge_type) into reached, reached_scores, reached_by
        from svc_next_relations(me, frontier, frontier_scores, wanted, least_confidence, budget - edges_traversed) r;
      exit when reached is null;
      edges_traversed := edges_traversed + cardinality(reached);
      types := types || reached_by;
      hops_used := hop;
      -- What is known already comes in with no score, and so drops out.
      select coalesce(array_agg(n.id order by n.score desc, n.id), '{}'), coalesce(array_agg(n.score order by n.score desc, n.id), '{}')
        into frontier, frontier_scores
        from (
          select a.id, max(a.score) as score
          from (select unnest(reached) as id, unnest(reached_scores) as score union all select unnest(known), null) a
          group by a.id having count(*) = count(a.score)
        ) n;
      known := known || frontier;
      known_scores := known_scores || frontier_scores;
      known_hops := known_hops || array_fill(hop, array[cardinality(frontier)]);
    end loop;
    select coalesce(array_agg(distinct t.edge_type collate "C"), '{}') into edge_types_used from unnest(types) t(edge_type);
    -- Confidences have 32 bits, so scores are shown with as many; what is too small for that is none.
    select json_agg(json_build_object('artifact_id', a.id, 'hop_distance', a.hop, 'score', a.score) order by a.hop, a.score desc, a.id) into artifacts
      from (
        select k.id, k.hop, case when k.score < 1.2e-38 then 0 else k.score::real end as score
        from unnest(known, known_hops, known_scores) k(id, hop, score)
      ) a;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_fact_chain(owner text, entity text, key text)
 RETURNS bytea
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
    select sha256(convert_to(length(owner) || ':' || owner || length(entity) || ':' || entity || key, 'UTF8'))
  $function$
;

CREATE OR REPLACE FUNCTION public.svc_fact_index(me text, known_generation bigint, known int8multirange, most integer)
 RETURNS TABLE(seq bigint, visibility smallint, owner text, entity text, key text, value text, stored_at timestamp with time zone, confidence real, horizon_class text, retires bigint, tombstone boolean, generation bigint, sealed_seq bigint, segments json, more boolean)
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
  declare
    state fact_index;
    -- A plain number: under row-level security an expression of one would not be looked up in the index.
    line bigint;
    picked bigint[];
    has_more boolean;
  begin
    perform set_config('svc.tenant_id', me, true);
    select i.* into state from fact_index i where i.tenant_id = me;
    line := coalesce(state.sealed_seq, 0);
    select array_agg(t.seq) filter (where t.number <= most and t.before < 16777216), bool_or(t.number > most or t.before >= 16777216)
      into picked, has_more
      from (
        select u.seq, row_number() over w as number, sum(u.size) over w - u.size as before
        from (
          select f.seq, least(octet_length(f.value), 262144) as size from fact f
          where f.tenant_id = me and f.seq > line and not (f.seq <@ known) order by f.seq limit most + 1
        ) u window w as (order by u.seq)
      ) t;
    if picked is not null then
      return query select f.*, null::bigint, null::bigint, null::json, null::boolean from svc_facts_to_index(me, picked) f;
    end if;
    return query
      select null::bigint, null::smallint, null::text, null::text, null::text, null::text, null::timestamptz, null::real, null::text, null::bigint,
        null::boolean, coalesce(state.generation, 0), line,
        case when coalesce(state.generation, 0) is distinct from known_generation then coalesce((
          select json_agg(json_build_array(s.segment_id, s.visibility, s.history, s.fact_count, s.retire_count) order by s.segment_id)
          from fact_segment s where s.tenant_id = me), '[]') end,
        coalesce(has_more, false);
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_fact_postings(me text, wanted uuid[], firsts bigint[], ends bigint[])
 RETURNS TABLE(number bigint, postings bytea)
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query
      select w.number, substring(s.postings from (w.first + 1)::int for (w.after - w.first)::int)
      from unnest(wanted, firsts, ends) with ordinality w(segment_id, first, after, number)
      join fact_segment s on s.tenant_id = me and s.segment_id = w.segment_id;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_fact_segments(me text, wanted uuid[])
 RETURNS TABLE("segmentId" uuid, visibility smallint, "isHistory" boolean, "factCount" integer, "retireCount" integer, header bytea, "headerDigest" bytea, columns bytea, "columnsDigest" bytea)
 LANGUAGE plpgsql
AS $function$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query
      select s.segment_id, s.visibility, s.history, s.fact_count, s.retire_count, s.header, s.header_digest, s.columns, s.columns_digest
      from fact_segment s where s.tenant_id = me and s.segment_id = any (wanted);
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_fact_writers(me text)
 RETURNS TABLE(writer text)
 LANGUAGE sql
AS $function$
    select w.writer from svc_row_writers(me, 'facts') w
  $function$
;

CREATE OR REPLACE FUNCTION public.svc_facts_of_entity(me text, of_entity text, of_prefix text, low text, high text, with_history boolean, most integer)
 RETURNS TABLE(seq bigint)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query
      select f.seq
      from (
        select h.chain, h.seq from fact_head h
        where h.tenant_id = me and h.entity_start >= low and h.entity_start < high and (with_history or h.records > 0)
          and (of_entity is null or h.entity = of_entity) and (of_prefix is null or starts_with(h.entity, of_prefix))
        offset 0
      ) h cross join lateral (
        select h.seq where not with_history
        union all
        select f.seq from fact f where with_history and f.tenant_id = me and f.chain = h.chain and not f.tombstone
      ) f
      limit most + 1;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_facts_to_index(me text, wanted bigint[])
 RETURNS TABLE(seq bigint, visibility smallint, owner text, entity text, key text, value text, stored_at timestamp with time zone, confidence real, horizon_class text, retires bigint, tombstone boolean)
 LANGUAGE sql
 STABLE
AS $function$
    select f.seq, f.visibility, f.owner, f.entity, f.key, left(f.value, 65536), f.stored_at, f.confidence, f.horizon_class, f.supersedes, f.tombstone
    from unnest(wanted) w(seq) cross join lateral (select f.* from fact f where f.tenant_id = me and f.seq = w.seq offset 0) f order by w.seq
  $function$
;

CREATE OR REPLACE FUNCTION public.svc_find_entity(me text, of_kind text, of_id text)
 RETURNS TABLE(kind text, id text, version integer, payload json, is_deleted boolean, created_at timestamp with time zone, updated_at timestamp with time zone, updated_by text)
 LANGUAGE plpgsql
AS $function$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query
      select e.kind, e.id, e.version, v.payload, e.is_deleted, e.created_at, e.updated_at, v.stored_by
      from graph_entity e join graph_entity_version v using (tenant_id, kind, id, version)
      where e.tenant_id = me and e.kind = of_kind and e.id = of_id;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_find_passport(wanted_tenant text, wanted_passport text)
 RETURNS TABLE(standing text, attested boolean)
 LANGUAGE plpgsql
AS $function$
  begin
    perform set_config('svc.tenant_id', wanted_tenant, true);
    return query select case when p.revoked_at is null then 'registered' else 'revoked' end, p.attested
      from passport p where p.tenant_id = wanted_tenant and p.passport_id = wanted_passport;
    if not found then
      return query select 'unregistered', false;
    end if;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_find_peers(wanted_tenant text, wanted_kids text[])
 RETURNS TABLE(peer_id text, kid text, public_key bytea, scopes text[], entity_prefixes text[], collections text[], direction text, revoked_at timestamp with time zone)
 LANGUAGE plpgsql
AS $function$
  begin
    perform set_config('svc.tenant_id', wanted_tenant, true);
    return query
      select distinct on (p.kid) p.peer_id, p.kid, p.public_key, p.scopes, p.entity_prefixes, p.collections, p.direction,
        coalesce(p.revoked_at, (select o.revoked_at from passport o where o.tenant_id = p.tenant_id and 'passport:' || o.passport_id = p.created_by))
      from sync_peer p where p.tenant_id = wanted_tenant and p.kid = any(wanted_kids)
      order by p.kid, p.revoked_at desc nulls first;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_find_subject(me text, selector jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  declare
    sep constant text := chr(1);
    entities text[] := array(select jsonb_array_elements_text(selector -> 'entities'));
    prefixes text[] := array(select jsonb_array_elements_text(selector -> 'entity_prefixes'));
    principals text[] := array(select jsonb_array_elements_text(selector -> 'principals'));
    texts text[] := array(select jsonb_array_elements_text(selector -> 'texts'));
    rule record;
    link record;
    turn int := 0;
    more int;
    found_now int;
  begin
    if session_user in ('svc_app', 'svc_operator') and nullif(current_setting('svc.tenant_id', true), '') is distinct from me then
      raise exception 'no unit of work of tenant % is open', me using errcode = 'insufficient_privilege';
    end if;
    perform set_config('svc.erased_tenant', me, true);
    drop table if exists pg_temp.erase_term, pg_temp.erase_text, pg_temp.erase_row, pg_temp.erase_chain, pg_temp.erase_document, pg_temp.erase_node, pg_temp.erase_record;
    create temporary table erase_term (term text collate "C" primary key, turn int not null) on commit drop;
    create temporary table erase_text (wanted text not null, hex text not null) on commit drop;
    create temporary table erase_row (target text not null, place tid not null, seen xid not null, turn int not null, primary key (target, place)) on commit drop;
    create temporary table erase_chain (chain bytea primary key) on commit drop;
    create temporary table erase_document (corpus_id text, doc_id text, primary key (corpus_id, doc_id)) on commit drop;
    create temporary table erase_node (kind text, id text, primary key (kind, id)) on commit drop;
    create temporary table erase_record (name text primary key) on commit drop;
    insert into erase_text select distinct t, encode(convert_to(t, 'UTF8'), 'hex') from unnest(texts) t;

    insert into erase_chain select h.chain from fact_head h
      where h.tenant_id = me and (h.entity = any(entities) or exists (select from unnest(prefixes) p where starts_with(h.entity, p)))
      on conflict do nothing;
    insert into erase_chain select f.chain from fact f
      where f.tenant_id = me and f.fact_id in (select i::uuid from jsonb_array_elements_text(selector -> 'fact_ids') i) on conflict do nothing;
    if cardinality(principals) > 0 then
      insert into erase_chain select f.chain from fact f
        where f.tenant_id = me and (f.actor = any(principals) or f.written_by = any(principals) or f.owner = any(principals)) on conflict do nothing;
    end if;
    if cardinality(texts) > 0 then
      insert into erase_chain select f.chain from fact f where f.tenant_id = me and exists (select from erase_text t
        where position(t.wanted in f.entity) > 0 or position(t.wanted in f.key) > 0 or position(t.wanted in f.value) > 0
          or position(t.wanted in f.actor) > 0 or position(t.wanted in coalesce(f.written_by, '')) > 0 or position(t.wanted in f.owner) > 0) on conflict do nothing;
      insert into erase_document select v.corpus_id, v.doc_id from document_version v where v.tenant_id = me
        and exists (select from svc_names_in(to_jsonb(v) - 'tenant_id' - 'corpus_id') n, erase_text t where position(t.wanted in n) > 0) on conflict do nothing;
      insert into erase_node select v.kind, v.id from graph_entity_version v where v.tenant_id = me
        and exists (select from svc_names_in(to_jsonb(v) - 'tenant_id') n, erase_text t where position(t.wanted in n) > 0) on conflict do nothing;
    end if;
    insert into erase_document select d.corpus_id, d.doc_id from document d
      join jsonb_to_recordset(selector -> 'documents') s (corpus_id text, doc_id text) on s.corpus_id = d.corpus_id and s.doc_id = d.doc_id
      where d.tenant_id = me on conflict do nothing;
    -- What a call of local ingest sealed holds the texts of all its documents.
    insert into erase_row select 'sealed_segment', s.ctid, s.xmin, 0 from sealed_segment s
      where s.tenant_id = me and s.receipt_id in (select i.receipt_id from ingest i join erase_document d using (corpus_id, doc_id) where i.tenant_id = me);
    -- So does a copy of what another node sealed, whose documents are not known here but by the ids in its frames (docs/formats/segments.md).
    insert into erase_row select 'replicated_segment', s.ctid, s.xmin, 0 from replicated_segment s
      join (select * from jsonb_to_recordset(selector -> 'documents') d (corpus_id text, doc_id text) union select * from erase_document) d on d.corpus_id = s.corpus_id
      cross join lateral (select convert_to(d.doc_id, 'UTF8') as id) u
      where s.tenant_id = me and position('\x66646f635f6964'::bytea || case when length(u.id) < 24 then set_byte('\x00', 0, 96 + length(u.id))
        when length(u.id) < 256 then set_byte('\x7800', 1, length(u.id)) else '\x79'::bytea || substr(int4send(length(u.id)), 3) end || u.id in s.frames) > 0 on conflict do nothing;
    insert into erase_node select e.kind, e.id from graph_entity e
      where e.tenant_id = me and (e.id = any(entities) or e.kind || ':' || e.id = any(entities)
        or exists (select from unnest(prefixes) p where starts_with(e.id, p))) on conflict do nothing;
    insert into erase_row select 'graph_edge', g.ctid, g.xmin, 0 from graph_edge g where g.tenant_id = me and (
      exists (select from erase_node n where (n.kind, n.id) in ((g.from_kind, g.from_id), (g.to_kind, g.to_id)))
      or exists (select from svc_names_in(to_jsonb(g) - 'tenant_id') n, erase_text t where position(t.wanted in n) > 0));

    insert into erase_term select distinct f.fact_id::text, 0 from fact f join erase_chain using (chain) where f.tenant_id = me on conflict do nothing;
    insert into erase_term select 'entity' || sep || e, 0 from unnest(entities) e on conflict do nothing;
    insert into erase_term select distinct 'entity' || sep || h.entity, 0 from fact_head h join erase_chain using (chain)
      where h.tenant_id = me and exists (select from unnest(prefixes) p where starts_with(h.entity, p)) on conflict do nothing;
    insert into erase_term select 'by' || sep || p, 0 from unnest(principals) p on conflict do nothing;
    insert into erase_term select 'document' || sep || s.corpus_id || sep || s.doc_id, 0
      from (select * from jsonb_to_recordset(selector -> 'documents') s (corpus_id text, doc_id text) union select * from erase_document) s on conflict do nothing;
    insert into erase_term select 'node' || sep || n.kind || sep || n.id, 0 from erase_node n on conflict do nothing;
    insert into erase_term select 'stream' || sep || s.stream_type || sep || s.stream_id, 0 from stream_head s
      where s.tenant_id = me and (s.stream_id = any(entities) or s.stream_type || '/' || s.stream_id = any(entities)
        or exists (select from unnest(prefixes) p where starts_with(s.stream_id, p))) on conflict do nothing;
    insert into erase_term select distinct c.chunk_id, 0 from chunk c join erase_document d using (corpus_id, doc_id) where c.tenant_id = me on conflict do nothing;
    insert into erase_term select distinct i.ingest_id::text, 0 from ingest i join erase_document d using (corpus_id, doc_id) where i.tenant_id = me on conflict do nothing;
    insert into erase_record select distinct i.receipt_id::text from ingest i join erase_document d using (corpus_id, doc_id)
      where i.tenant_id = me and i.receipt_id is not null
        -- That of a batch is of other documents too, and names none.
        and not exists (select from ingest_batch b where b.tenant_id = me and b.receipt_id = i.receipt_id) on conflict do nothing;

    -- Rows that name it, then rows that name those, until nothing is added.
    loop
      for rule in select r.* from svc_erasure_rules() r where r.effect in ('delete', 'blank') loop
        execute format(
          'insert into erase_row select %L, r.ctid, r.xmin, $2 from %I r where r.tenant_id = $1 and exists (
             select from svc_names_in(case when $3 then to_jsonb(r) - ''tenant_id'' else (select jsonb_object_agg(c, to_jsonb(r) -> c) from unnest($4) c) end) n where
               exists (select from erase_term t where t.term = n and t.turn = $2)
               or ($2 = 0 and exists (select from erase_text t where position(t.wanted in n) > 0 or (starts_with(n, ''\x'') and position(t.hex in n) > 0))))
           on conflict do nothing', rule.name, rule.name) using me, turn, rule.effect = 'delete', rule.blanks;
      end loop;
      -- Rows that refer to one that goes, and those that go with a part of theirs.
      loop
        more := 0;
        for link in
          select c.relname as child, p.relname as parent, a.up, (select string_agg(format('o.%I = r.%I', y.attname, x.attname), ' and ')
              from unnest(k.conkey, k.confkey) as pair (child_no, parent_no)
                join pg_attribute y on y.attrelid = k.conrelid and y.attnum = pair.child_no
                join pg_attribute x on x.attrelid = k.confrelid and x.attnum = pair.parent_no) as condition
          from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class p on p.oid = k.confrelid
            join svc_erasure_rules() a on a.name = c.relname join svc_erasure_rules() b on b.name = p.relname
          where k.contype = 'f' and k.conrelid <> k.confrelid and b.effect = 'delete' and a.effect = 'delete'
        loop
          execute format('insert into erase_row select %L, o.ctid, o.xmin, $1 from %I o join %I r on %s join erase_row e on e.target = %L and e.place = r.ctid and e.seen = r.xmin
            on conflict do nothing', link.child, link.child, link.parent, link.condition, link.parent) using turn;
          get diagnostics found_now = row_count;
          more := more + found_now;
          if link.up then
            execute format('insert into erase_row select %L, r.ctid, r.xmin, $1 from %I o join %I r on %s join erase_row e on e.target = %L and e.place = o.ctid and e.seen = o.xmin
              on conflict do nothing', link.parent, link.child, link.parent, link.condition, link.child) using turn;
            get diagnostics found_now = row_count;
            more := more + found_now;
          end if;
        end loop;
        exit when more = 0;
      end loop;
      more := 0;
      for rule in select r.* from svc_erasure_rules() r where r.effect = 'delete' and r.names <> '{}' loop
        execute format(
          'insert into erase_term select distinct n, $1 + 1 from %I r join erase_row e on e.target = %L and e.place = r.ctid and e.seen = r.xmin and e.turn = $1
             cross join lateral (select to_jsonb(r) ->> c as n from unnest($2) c where c like ''%%\_id''
               union select n from svc_names_in(to_jsonb(r) - ''tenant_id'') n where position(chr(1) in n) > 0 and split_part(n, chr(1), 1) = any($2)) named
           where n is not null on conflict do nothing', rule.name, rule.name) using turn, rule.names;
        get diagnostics found_now = row_count;
        more := more + found_now;
      end loop;
      exit when more = 0;
      turn := turn + 1;
    end loop;
    for rule in
      select r.name from svc_erasure_rules() r where r.effect = 'delete' and exists (select from pg_attribute a
        where a.attrelid = to_regclass('public.' || r.name) and a.attname in ('receipt_id', 'execution_receipt_id') and not a.attisdropped)
    loop
      execute format('insert into erase_record select distinct v from %I r join erase_row e on e.target = %L and e.place = r.ctid and e.seen = r.xmin
        cross join lateral (values (to_jsonb(r) ->> ''receipt_id''), (to_jsonb(r) ->> ''execution_receipt_id'')) i (v)
        where v is not null on conflict do nothing', rule.name, rule.name);
    end loop;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_find_tenant(wanted_tenant text)
 RETURNS TABLE(state text)
 LANGUAGE plpgsql
AS $function$
      begin
        perform set_config('svc.tenant_id', wanted_tenant, true);
        return query select t.state from tenant t where t.tenant_id = wanted_tenant;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_fold_tally(tenant text, of_session text)
 RETURNS void
 LANGUAGE sql
AS $function$
    with taken as (
      delete from receipt_tally where ctid = any(array(
        select ctid from receipt_tally where tenant_id = tenant and session = of_session limit 4096 for update skip locked))
      returning family, kind, principal, receipts
    )
    insert into receipt_tally (tenant_id, session, family, kind, principal, receipts)
    select tenant, of_session, family, kind, principal, sum(receipts) from taken group by family, kind, principal
  $function$
;

CREATE OR REPLACE FUNCTION public.svc_forget_note()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    update credit_spending set note_digest = null, note_salt = null
    where tenant_id = new.tenant_id and reference = new.reference and transfer_id = new.transfer_id;
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_found_holds(me text)
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  declare
    found uuid[] := '{}';
    holds uuid[];
    pinned record;
  begin
    if session_user in ('svc_app', 'svc_operator') and nullif(current_setting('svc.tenant_id', true), '') is distinct from me then
      raise exception 'no unit of work of tenant % is open', me using errcode = 'insufficient_privilege';
    end if;
    if not exists (select from legal_hold h where h.tenant_id = me and h.released_at is null) then
      return found;
    end if;
    perform set_config('svc.erased_tenant', me, true);
    for pinned in
      -- Arguments of triggers end with a zero byte each.
      select c.relname::text as name, split_part(encode(t.tgargs, 'escape'), '\000', 1) as entities,
        case
          when c.relname in ('fact', 'fact_head') then 'r.chain in (select e.chain from pg_temp.erase_chain e)'
          when c.relname in ('document', 'document_version', 'chunk', 'ingest') then '(r.corpus_id, r.doc_id) in (select e.corpus_id, e.doc_id from pg_temp.erase_document e)'
          when c.relname in ('graph_entity', 'graph_entity_version') then '(r.kind, r.id) in (select e.kind, e.id from pg_temp.erase_node e)'
          else format('r.ctid = any(array(select e.place from pg_temp.erase_row e where e.target = %L)) and exists (
              select from pg_temp.erase_row e where e.target = %L and e.place = r.ctid and e.seen = r.xmin)', c.relname, c.relname) end as chosen
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
        join pg_trigger u on u.tgrelid = t.tgrelid and u.tgname = 'legal_hold_update'
        left join svc_erasure_rules() rule on rule.name = c.relname
      where t.tgname = 'legal_hold' and (rule.effect is distinct from 'blank' or exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = any(rule.blanks) and a.attnum = any(u.tgattr::int2[])))
    loop
      execute format('select array_agg(distinct h) from %I r cross join lateral unnest(svc_holds_on_any($1, %s)) h where r.tenant_id = $1 and %s',
        pinned.name, pinned.entities, pinned.chosen) into holds using me;
      found := found || coalesce(holds, '{}');
    end loop;
    return array(select distinct h from unnest(found) h order by h);
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_found_rows(me text)
 RETURNS TABLE(name text, found bigint, samples text[])
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  declare
    rule record;
  begin
    perform set_config('svc.erased_tenant', me, true);
    return query select 'fact', count(*), (array_agg(f.fact_id::text order by f.seq))[1:10] from fact f join pg_temp.erase_chain c using (chain) where f.tenant_id = me;
    return query select 'document_version', count(*), (array_agg(v.corpus_id || '/' || v.doc_id || '@' || v.version order by v.corpus_id, v.doc_id, v.version))[1:10]
      from document_version v join pg_temp.erase_document d using (corpus_id, doc_id) where v.tenant_id = me;
    return query select 'chunk', count(*), (array_agg(k.chunk_id order by k.chunk_id))[1:10] from chunk k join pg_temp.erase_document d using (corpus_id, doc_id) where k.tenant_id = me;
    return query select 'chunk_vector', count(*), (array_agg(v.chunk_id order by v.chunk_id))[1:10] from chunk_vector v join chunk k on k.tenant_id = v.tenant_id and k.chunk_id = v.chunk_id
      join pg_temp.erase_document d on d.corpus_id = k.corpus_id and d.doc_id = k.doc_id where v.tenant_id = me;
    return query select 'ingest', count(*), (array_agg(i.ingest_id::text order by i.ingest_id))[1:10] from ingest i join pg_temp.erase_document d using (corpus_id, doc_id) where i.tenant_id = me;
    return query select 'document', count(*), (array_agg(o.corpus_id || '/' || o.doc_id order by o.corpus_id, o.doc_id))[1:10] from document o join pg_temp.erase_document d using (corpus_id, doc_id) where o.tenant_id = me;
    -- All of the tenant's: each holds words of other facts too, and is made again.
    return query select 'fact_segment', count(*), null::text[] from fact_segment s where s.tenant_id = me and exists (select from pg_temp.erase_chain);
    return query select 'graph_entity_version', count(*), (array_agg(e.kind || ':' || e.id || '@' || e.version order by e.kind, e.id, e.version))[1:10]
      from graph_entity_version e join pg_temp.erase_node n using (kind, id) where e.tenant_id = me;
    return query select 'graph_entity', count(*), (array_agg(e.kind || ':' || e.id order by e.kind, e.id))[1:10] from graph_entity e join pg_temp.erase_node n using (kind, id) where e.tenant_id = me;
    for rule in select e.target, count(*) as found from pg_temp.erase_row e group by 1 order by 1 loop
      return query execute format('select %L::text, $1::bigint, array(select concat_ws(''/'', %s) from %I r join pg_temp.erase_row e on e.target = %L and e.place = r.ctid and e.seen = r.xmin limit 10)',
        rule.target, (select string_agg(format('r.%I', a.attname), ', ' order by a.attnum) from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
          where i.indrelid = to_regclass('public.' || rule.target) and i.indisprimary and a.attname <> 'tenant_id'), rule.target, rule.target) using rule.found;
    end loop;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_found_terms()
 RETURNS TABLE(term text, is_record boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  begin
    return query select t.term::text, false from pg_temp.erase_term t union all select r.name, true from pg_temp.erase_record r;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_grant_table(target regclass)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
      begin
        execute format('grant select, insert, update, delete on %s to svc_app, svc_operator', target);
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_hold_idempotency_key(me text, called_by text, called_method text, called_path text, called_key text, OUT is_held boolean, OUT request_digest bytea, OUT status integer, OUT body text)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
  begin
    is_held := pg_try_advisory_xact_lock(
      hashtextextended(jsonb_build_array(me, called_by, called_method, called_path, called_key)::text, 0));
    select r.request_digest, r.status, r.body into request_digest, status, body from idempotent_request r
      where r.tenant_id = me and r.principal = called_by and r.method = called_method and r.path = called_path
        and r.idempotency_key = called_key and r.created_at > now() - interval '24 hours';
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_holds_data(name text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  declare
    tenant_table regclass;
    held boolean;
  begin
    for tenant_table in
      select c.oid::regclass from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.oid <> 'public.tenant'::regclass
    loop
      execute format('select exists (select from %s where tenant_id = $1)', tenant_table) into held using name;
      if held then
        return true;
      end if;
    end loop;
    return false;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_holds_on(wanted_tenant text, entity text)
 RETURNS uuid[]
 LANGUAGE sql
 STABLE
AS $function$ select public.svc_holds_on_any(wanted_tenant, array[entity]) $function$
;

CREATE OR REPLACE FUNCTION public.svc_holds_on_any(wanted_tenant text, entities text[])
 RETURNS uuid[]
 LANGUAGE sql
 STABLE
AS $function$
    select coalesce(array_agg(h.hold_id order by h.hold_id), '{}') from public.legal_hold h
    where h.tenant_id = wanted_tenant and h.released_at is null and (h.entity_prefixes = '{}' or exists (
      select from unnest(h.entity_prefixes) prefix, unnest(entities) entity where starts_with(entity, prefix)))
      and (public.svc_is_product() or h.placed_at >= coalesce(nullif(current_setting('svc.erased_at', true), '')::timestamptz, '-infinity'))
  $function$
;

CREATE OR REPLACE FUNCTION public.svc_index_headers(me text, wanted_tenants text[], wanted uuid[])
 RETURNS TABLE(segment_id uuid, header bytea, digest bytea)
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
      begin
        perform set_config('svc.tenant_id', me, true);
        return query
          select s.segment_id, s.header, s.digest from unnest(wanted_tenants, wanted) w(tenant_id, segment_id)
          join index_segment s on s.tenant_id = w.tenant_id and s.segment_id = w.segment_id;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_index_postings(me text, wanted_tenants text[], wanted uuid[], wanted_terms text[])
 RETURNS TABLE(segment_id uuid, term text, postings bytea)
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
      begin
        perform set_config('svc.tenant_id', me, true);
        return query
          select s.segment_id, w.term, p.postings
          from unnest(wanted_tenants, wanted, wanted_terms) w(tenant_id, segment_id, term)
          join index_segment s on s.tenant_id = w.tenant_id and s.segment_id = w.segment_id
          left join index_posting p on p.tenant_id = s.tenant_id and p.segment_id = s.segment_id and p.term = w.term;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_index_segments(me text, wanted_tenants text[], wanted uuid[], whole_up_to integer)
 RETURNS TABLE(segment_id uuid, header bytea, digest bytea, row_names text[], row_sizes integer[], postings bytea)
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
      begin
        perform set_config('svc.tenant_id', me, true);
        return query
          select s.segment_id, s.header, s.digest, whole.row_names, whole.row_sizes, whole.postings
          from unnest(wanted_tenants, wanted) w(tenant_id, segment_id)
          join index_segment s on s.tenant_id = w.tenant_id and s.segment_id = w.segment_id
          left join lateral (
            select coalesce(array_agg(p.term), '{}') as row_names, coalesce(array_agg(octet_length(p.postings)), '{}') as row_sizes,
              coalesce(string_agg(p.postings, ''::bytea), ''::bytea) as postings
            from index_posting p where p.tenant_id = s.tenant_id and p.segment_id = s.segment_id
          ) whole on s.chunk_count <= whole_up_to;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_index_state(me text, known_shards uuid[], known_generations bigint[])
 RETURNS TABLE(tenant_id text, shard_id uuid, corpus_id text, shareability text, language text, generation text, is_known boolean, segments jsonb, tombstones jsonb)
 LANGUAGE plpgsql
AS $function$
      begin
        perform set_config('svc.tenant_id', me, true);
        return query
          select v.tenant_id, v.shard_id, v.corpus_id, v.shareability, v.language, v.generation::text, coalesce(k.generation = v.generation, false),
            case when k.generation is distinct from v.generation then coalesce((
              select jsonb_agg(jsonb_build_array(s.segment_id, s.sequence, s.chunk_count) order by s.sequence, s.segment_id)
              from index_segment s where s.tenant_id = v.tenant_id and s.shard_id = v.shard_id), '[]') end,
            case when k.generation is distinct from v.generation then coalesce((
              select jsonb_agg(jsonb_build_array(t.chunk_id, t.generation)) from index_tombstone t
              where t.tenant_id = v.tenant_id and t.shard_id = v.shard_id and t.generation > coalesce(k.generation, 0)), '[]') end
          from svc_visible_shards() v left join unnest(known_shards, known_generations) k(shard_id, generation) using (shard_id)
          order by v.shard_id;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_index_vectors(dimensions integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      declare
        type constant text := svc_vector_type(dimensions);
        most constant int := case type when 'halfvec' then 4000 else 2000 end;
        indexed text;
      begin
        if dimensions not between 1 and most then
          return;
        end if;
        foreach indexed in array array['chunk_vector', 'memory_vector'] loop
          execute format(
            'create index if not exists %1$s_%2$s on %1$s using hnsw ((embedding::%3$s(%2$s)) %3$s_cosine_ops) '
            'where vector_dims(embedding) = %2$s', indexed, dimensions, type);
        end loop;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_is_product()
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
    select coalesce(nullif(current_setting('role'), 'none'), session_user) in ('svc_app', 'svc_operator')
  $function$
;

CREATE OR REPLACE FUNCTION public.svc_is_revoked(me text, wanted text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
  declare
    revoked boolean;
  begin
    -- May not change passports, and so not lock them: it sees what is committed.
    if current_user = 'svc_operator' then
      return exists (select from passport p where p.tenant_id = me and p.passport_id = wanted and p.revoked_at is not null);
    end if;
    select p.revoked_at is not null into revoked from passport p where p.tenant_id = me and p.passport_id = wanted for share skip locked;
    return coalesce(revoked, exists (select from passport p where p.tenant_id = me and p.passport_id = wanted));
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_json_of(given text)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
  begin
    if given !~ '^\s*[\[{]' then
      return null;
    end if;
    return given::jsonb;
  exception when others then
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_keep_balances()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  begin
    -- One order everywhere, so that two transfers never wait for each other.
    perform from ledger_account a where (a.tenant_id, a.account_id) in (select e.tenant_id, e.account_id from posted e)
      order by a.tenant_id collate "C", a.account_id for no key update;
    update ledger_account a set balance = a.balance + e.amount
    from (select tenant_id, account_id, sum(amount)::bigint as amount from posted group by tenant_id, account_id) e
    where a.tenant_id = e.tenant_id and a.account_id = e.account_id;
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_keep_claim()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    if svc_is_revoked(new.tenant_id, new.lease_holder) then
      new.lease_expires_at := least(new.lease_expires_at, date_trunc('milliseconds', clock_timestamp()));
    end if;
    return new;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_keep_gate()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    if svc_is_revoked(new.tenant_id, new.requested_passport) then
      new.expires_at := new.requested_at;
      new.reason := 'The passport that asked has been revoked';
    end if;
    return new;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_keep_held()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  declare
    entities text[];
    holds uuid[];
    -- Assigned, as that costs a fraction of a statement of its own.
    locked text;
  begin
    locked := pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtextextended('svc holds ' || old.tenant_id, 0));
    if exists (select from public.legal_hold h where h.tenant_id = old.tenant_id and h.released_at is null) then
      execute format('select %s from (select ($1).*) r', tg_argv[0]) into entities using old;
      holds := public.svc_holds_on_any(old.tenant_id, entities);
    end if;
    if holds is null or holds = '{}' then
      if tg_op = 'DELETE' then
        return old;
      end if;
      return new;
    end if;
    if public.svc_is_product() then
      raise exception 'a legal hold pins %', entities[1] using errcode = 'SVH01', detail = to_json(holds)::text, hint = entities[1],
        schema = tg_table_schema, table = tg_table_name, constraint = old.tenant_id;
    end if;
    raise warning 'the row of % was kept: legal hold % pins it', entities[1], holds[1];
    perform public.svc_note_refusal(old.tenant_id, holds, entities[1], 'database:' || session_user, 'database', tg_table_name, lower(tg_op));
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_keep_held_rows()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  declare
    one text;
    entities text[];
    holds uuid[];
  begin
    for one in select distinct g.tenant_id from gone g order by 1 loop
      perform pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtextextended('svc holds ' || one, 0));
      continue when not exists (select from public.legal_hold h where h.tenant_id = one and h.released_at is null);
      execute format('select n.entities, n.holds from gone r cross join lateral (select %1$s as entities, public.svc_holds_on_any($1, %1$s) as holds) n
        where r.tenant_id = $1 and n.holds <> ''{}'' limit 1', tg_argv[0]) into entities, holds using one;
      if holds is not null then
        raise exception 'a legal hold pins %', entities[1] using errcode = 'SVH01', detail = to_json(holds)::text, hint = entities[1],
          schema = tg_table_schema, table = tg_table_name, constraint = one;
      end if;
    end loop;
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_keep_held_table()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  declare
    holds uuid[] := array(select h.hold_id from public.legal_hold h where h.released_at is null order by 1 limit 100);
  begin
    if holds <> '{}' then
      perform public.svc_note_truncation(tg_relid);
      raise exception 'legal hold % is active; % is not emptied', holds[1], tg_table_name using errcode = 'SVH01', detail = to_json(holds)::text,
        hint = tg_table_name;
    end if;
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_keep_hold()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    if tg_op = 'DELETE' then
      if old.released_at is not null and old.tenant_id = nullif(current_setting('svc.erased_tenant', true), '') then
        return old;
      end if;
    elsif public.svc_is_product() and old.released_at is null and new.released_at is not null and
      (old.tenant_id, old.hold_id, old.reason, old.entity_prefixes, old.incident_id, old.placed_by, old.placed_at, old.place_receipt)
      is not distinct from
      (new.tenant_id, new.hold_id, new.reason, new.entity_prefixes, new.incident_id, new.placed_by, new.placed_at, new.place_receipt) then
      return new;
    end if;
    raise exception 'legal hold % is released by the daemon, and changes in nothing else', old.hold_id using errcode = 'SVH02';
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_keep_lease()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    if svc_is_revoked(new.tenant_id, new.holder_passport) or (new.held_by <> new.holder_passport and svc_is_revoked(new.tenant_id, new.held_by)) then
      new.expires_at := new.acquired_at;
    end if;
    return new;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_keep_nonce(hash bytea, ttl_seconds integer, most integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
      begin
        delete from sync_nonce where nonce_hash = any(array(
          select nonce_hash from sync_nonce where expires_at <= clock_timestamp() order by expires_at limit 500 for update skip locked));
        if (select count(*) from (select from sync_nonce where expires_at > clock_timestamp() and spent_at is null limit most) open) >= most then
          return false;
        end if;
        insert into sync_nonce values (hash, clock_timestamp() + ttl_seconds * interval '1 second');
        return true;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_keep_number()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        new.seq := old.seq;
        return new;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_keep_owners()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  declare
    one text;
  begin
    if tg_op = 'UPDATE' and old.state = 'done' and new.state <> 'done' then
      new.owners := '{}';
    end if;
    foreach one in array array[new.assignee_passport, new.lease_holder] loop
      if one is not null and one <> all(new.owners) and cardinality(new.owners) < 100 then
        new.owners := new.owners || one;
      end if;
    end loop;
    return new;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_keep_settlement()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        raise exception 'conversion % is % and stays so', old.conversion_id, old.state using errcode = 'check_violation';
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_key_lookup(wanted_hash bytea)
 RETURNS bytea
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
      declare
        known bytea;
      begin
        select secret into known from server_secret where name = 'key lookup';
        if known is null then
          -- Three version 4 UUIDs: 366 bits of the server's strong random source.
          insert into server_secret (name, secret) values ('key lookup',
            sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))) on conflict do nothing;
          select secret into known from server_secret where name = 'key lookup';
        end if;
        -- Both of fixed length, so nothing can be appended.
        return sha256(known || wanted_hash);
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_lock_accounts(wanted text[])
 RETURNS SETOF ledger_account
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  declare
    me text := nullif(current_setting('svc.tenant_id', true), '');
  begin
    if me is null then
      raise exception 'no tenant is set';
    end if;
    insert into ledger_account (tenant_id, account_id, kind, agent_id)
    select me, w.account_id, split_part(w.account_id, ':', 1),
      case when strpos(w.account_id, ':') > 0 then substr(w.account_id, strpos(w.account_id, ':') + 1) end
    from (select distinct unnest(wanted) collate "C" as account_id) w
    where not exists (select from ledger_account a where a.tenant_id = me and a.account_id = w.account_id)
    order by w.account_id on conflict do nothing;
    return query select a.* from ledger_account a where a.tenant_id = me and a.account_id = any (wanted)
      order by a.account_id for no key update;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_lock_fact_chain(me text, of_chain bytea)
 RETURNS TABLE(owner text, entity text, key text, version integer, confidence real, horizon_class text, stored_at timestamp with time zone)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
  begin
    perform svc_enter_facts(me);
    perform 1 from fact_head h where h.tenant_id = me and h.chain = of_chain for update;
    return query select f.owner, f.entity, f.key, f.version, f.confidence, f.horizon_class, f.stored_at
      from fact_head h join fact f on f.tenant_id = me and f.seq = h.seq
      where h.tenant_id = me and h.chain = of_chain and h.records > 0;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_lock_next_work(me text, project text, wanted_labels text[], holders text[], taken text[], at_most integer)
 RETURNS SETOF work_item
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
  declare
    gated text[] := svc_projects_gating_claims(me);
  begin
    if project is null then
      return query select w.* from work_item w
        where w.tenant_id = me and w.open_blockers = 0
          and (w.state = 'ready' or (w.state = 'in_progress' and w.lease_fence is not null))
          and (w.state = 'ready' and (w.assignee_passport is null or w.assignee_passport = any(holders))
            or w.lease_expires_at <= clock_timestamp())
          and w.labels @> wanted_labels and w.work_id <> all(taken) and w.project_id <> all(gated)
        order by w.tenant_id, w.priority, w.created_at, w.work_id limit at_most for no key update skip locked;
    else
      return query select w.* from work_item w
        where w.tenant_id = me and w.project_id = project and w.open_blockers = 0
          and (w.state = 'ready' or (w.state = 'in_progress' and w.lease_fence is not null))
          and (w.state = 'ready' and (w.assignee_passport is null or w.assignee_passport = any(holders))
            or w.lease_expires_at <= clock_timestamp())
          and w.labels @> wanted_labels and w.work_id <> all(taken) and w.project_id <> all(gated)
        order by w.tenant_id, w.project_id, w.priority, w.created_at, w.work_id limit at_most for no key update skip locked;
    end if;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_lower_tier(one text, other text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    select (array['free', 'starter', 'pro', 'team'])[least(
      array_position(array['free', 'starter', 'pro', 'team'], one), array_position(array['free', 'starter', 'pro', 'team'], other))]
  $function$
;

CREATE OR REPLACE FUNCTION public.svc_mark_sync()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    if not exists (select from changed c join public.sync_tenant s on s.tenant_id = c.tenant_id) then
      return null;
    end if;
    execute format('insert into public.sync_change (tenant_id, target, parts)
      select distinct r.tenant_id, %L, %s from changed r join public.sync_tenant s on s.tenant_id = r.tenant_id
        join public.tenant t on t.tenant_id = r.tenant_id and t.state <> ''deleted'' where %s', tg_argv[0], tg_argv[1], tg_argv[2]);
    if tg_op = 'DELETE' and current_setting('svc.sync_moves', true) is distinct from 'on' then
      execute format('select public.svc_blank_sync(g.tenant_id, array_agg(g.key)) from (
        select distinct r.tenant_id, public.svc_sync_key(%L, %s) as key from changed r where %s) g group by g.tenant_id', tg_argv[0], tg_argv[1], tg_argv[2]);
    end if;
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_mark_sync_content()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  declare
    one record;
  begin
    for one in
      select g.tenant_id, array_agg(distinct r.key) as keys from gone g
        join public.tenant t on t.tenant_id = g.tenant_id and t.state <> 'deleted'
        join public.sync_record r on r.tenant_id = g.tenant_id and r.key = g.key and r.digest = g.digest group by 1
    loop
      insert into public.sync_change (tenant_id, target, parts)
        select distinct r.tenant_id, r.target, r.parts from public.sync_record r where r.tenant_id = one.tenant_id and r.key = any(one.keys);
      perform public.svc_blank_sync(one.tenant_id, one.keys);
    end loop;
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_mark_sync_fact()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    insert into public.sync_change (tenant_id, target, parts)
      select new.tenant_id, 'facts', array[new.entity, new.key] from public.sync_tenant s where s.tenant_id = new.tenant_id;
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_memory_vectors(me text, wanted_space integer, wanted_kind text, after bigint, known bigint, most integer)
 RETURNS TABLE(place bigint, item_id text, visibility smallint, owner text, vector bytea, removals bigint)
 LANGUAGE plpgsql
AS $function$
      declare
        -- A plain number: under row-level security an expression of one would not be looked up in the index.
        line bigint;
        now_removed bigint;
      begin
        perform set_config('svc.tenant_id', me, true);
        select coalesce(max(s.removals), 0) into now_removed from memory_vector_state s
          where s.tenant_id = me and s.space_id = wanted_space and s.kind = wanted_kind;
        line := case when now_removed = known then after else 0 end;
        return query
          (select v.place, v.item_id, v.visibility, v.owner, v.vector, null::bigint from memory_vector v
           where v.tenant_id = me and v.space_id = wanted_space and v.kind = wanted_kind and v.place > line
           order by v.place limit most)
          union all select null::bigint, null::text, null::smallint, null::text, null::bytea, now_removed;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_move_credits(me text, transfer uuid, source text, target text, credits bigint, why text, about text, actor text, agent text, words text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
  begin
    perform set_config('svc.tenant_id', me, true);
    perform svc_lock_accounts(array[source, target]);
    if exists (select from ledger_transfer t where t.tenant_id = me and t.reason = why and t.reference = about) then
      return false;
    end if;
    perform svc_post_transfer(transfer, why, about, actor, agent, words, null, array[source, target], array[-credits, credits]);
    return true;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_move_fact_index(me text, from_seq bigint, to_seq bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
  begin
    insert into fact_index as i (tenant_id, generation, sealed_seq) select me, 1, to_seq where from_seq = 0
      on conflict (tenant_id) do update set generation = i.generation + 1, sealed_seq = to_seq where i.sealed_seq = from_seq;
    if found then
      return true;
    end if;
    update fact_index i set generation = i.generation + 1, sealed_seq = to_seq where i.tenant_id = me and i.sealed_seq = from_seq;
    return found;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_names_in(given jsonb)
 RETURNS SETOF text
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
  declare
    sep constant text := chr(1);
    inner_json jsonb;
    part jsonb;
    named text;
  begin
    for part in select p from jsonb_path_query(given, 'strict $.**') p loop
      if jsonb_typeof(part) = 'string' then
        named := part #>> '{}';
        return next named;
        inner_json := svc_json_of(named);
        if inner_json is not null then
          return query select svc_names_in(inner_json);
        end if;
      elsif jsonb_typeof(part) = 'object' then
        if part ? 'entity' then
          return next 'entity' || sep || (part ->> 'entity');
        end if;
        if (part ? 'corpus_id' and part ? 'doc_id') or (part ? 'corpusId' and part ? 'docId') then
          return next 'document' || sep || coalesce(part ->> 'corpus_id', part ->> 'corpusId') || sep || coalesce(part ->> 'doc_id', part ->> 'docId');
        end if;
        if part ? 'kind' and part ? 'id' then
          return next 'node' || sep || (part ->> 'kind') || sep || (part ->> 'id');
        end if;
        if part ? 'from_kind' and part ? 'from_id' then
          return next 'node' || sep || (part ->> 'from_kind') || sep || (part ->> 'from_id');
          return next 'node' || sep || (part ->> 'to_kind') || sep || (part ->> 'to_id');
        end if;
        if part ? 'stream_type' and part ? 'stream_id' then
          return next 'stream' || sep || (part ->> 'stream_type') || sep || (part ->> 'stream_id');
        end if;
        if part ? 'answer_id' or part ? 'answerId' then
          return next 'answer' || sep || coalesce(part ->> 'answer_id', part ->> 'answerId');
        end if;
        for named in
          select 'by' || sep || (m.value #>> '{}') from jsonb_each(part) m
          where jsonb_typeof(m.value) = 'string' and m.key in ('agent_id', 'agentId', 'principal', 'actor', 'owner', 'written_by', 'recorded_by',
            'requested_by', 'submitted_by', 'stored_by', 'updated_by', 'declared_by', 'by_passport', 'announced_by')
        loop
          return next named;
        end loop;
        -- Names of members are texts as well.
        return query select jsonb_object_keys(part);
      end if;
    end loop;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_nearest_memory(me text, wanted_space integer, wanted_kind text, wanted text, dimensions integer, reader text, sees_all boolean, with_reserved boolean, at_most integer)
 RETURNS TABLE(item_id text, similarity double precision)
 LANGUAGE plpgsql
AS $function$
      begin
        perform set_config('svc.tenant_id', me, true);
        perform set_config('hnsw.iterative_scan', 'relaxed_order', true);
        perform set_config('hnsw.max_scan_tuples', '1000000', true);
        return query execute format(
          'with near as materialized ('
          '  select v.item_id, v.embedding::%2$s(%1$s) <=> $1::%2$s(%1$s) as distance from memory_vector v '
          '  where vector_dims(v.embedding) = %1$s and v.tenant_id = $2 and v.space_id = $3 and v.kind = $4 '
          '    and (v.visibility = 0 or ($5 or v.owner = $6) and ($7 or v.visibility < 2)) '
          '  order by v.embedding::%2$s(%1$s) <=> $1::%2$s(%1$s) limit $8) '
          'select n.item_id, 1 - n.distance from near n order by n.distance + 0', dimensions, svc_vector_type(dimensions))
          using wanted, me, wanted_space, wanted_kind, sees_all, reader, with_reserved, at_most;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_nearest_vectors(me text, shards uuid[], wanted_model text, wanted text, dimensions integer, at_most integer)
 RETURNS TABLE(tenant_id text, chunk_id text, similarity double precision)
 LANGUAGE plpgsql
AS $function$
      begin
        perform set_config('svc.tenant_id', me, true);
        perform set_config('hnsw.iterative_scan', 'relaxed_order', true);
        perform set_config('hnsw.max_scan_tuples', '1000000', true);
        return query execute format(
          'with near as materialized ('
          '  select v.tenant_id, v.chunk_id, v.embedding::%2$s(%1$s) <=> $1::%2$s(%1$s) as distance from chunk_vector v '
          '  where vector_dims(v.embedding) = %1$s and v.model = $2 and v.shard_id = any($3) '
          '  order by v.embedding::%2$s(%1$s) <=> $1::%2$s(%1$s) limit $4) '
          'select n.tenant_id, n.chunk_id, 1 - n.distance from near n order by n.distance + 0', dimensions, svc_vector_type(dimensions))
          using wanted, wanted_model, shards, at_most;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_next_relations(me text, artifacts bigint[], scores double precision[], wanted text[], least_confidence real, most integer)
 RETURNS TABLE(score double precision, edge_type text, to_id bigint, confidence real)
 LANGUAGE plpgsql
AS $function$
  begin
    if wanted is null then
      return query
        select f.score, e.* from unnest(artifacts, scores) f(id, score) cross join lateral (
          select r.edge_type, r.to_id, r.confidence from relation r
          where r.tenant_id = me and r.from_id = f.id and r.confidence >= least_confidence
          order by r.confidence desc, r.edge_type, r.to_id limit most) e
        limit most;
    else
      return query
        select f.score, e.* from unnest(artifacts, scores) f(id, score) cross join lateral (
          select best.* from unnest(wanted) w(edge_type) cross join lateral (
            select r.edge_type, r.to_id, r.confidence from relation r
            where r.tenant_id = me and r.from_id = f.id and r.edge_type = w.edge_type and r.confidence >= least_confidence
            order by r.confidence desc, r.to_id limit most) best
          order by best.confidence desc, best.edge_type, best.to_id limit most) e
        limit most;
    end if;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_note_activity()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  declare
    what text := tg_argv[0];
  begin
    with active as materialized (
      select distinct tenant_id, agent_id from added where agent_id is not null
    ), free as (
      select k.tenant_id, k.agent_id from agent_activity k join active using (tenant_id, agent_id)
      -- A call that also moves credits is not about them; one of the same kind is noted every ten seconds.
      where k.last_active_at < now() - case when k.kind = what then interval '10 seconds' else interval '0' end
        or k.last_active_at = now() and k.kind <> what and what <> 'credits'
      for update of k skip locked
    ), moved as (
      update agent_activity k set last_active_at = now(), kind = what from free f
      where k.tenant_id = f.tenant_id and k.agent_id = f.agent_id
    )
    insert into agent_activity (tenant_id, agent_id, last_active_at, kind)
    select a.tenant_id, a.agent_id, now(), what from active a
    where not exists (select from agent_activity k where k.tenant_id = a.tenant_id and k.agent_id = a.agent_id)
      and pg_try_advisory_xact_lock(hashtextextended(jsonb_build_array('agent activity', a.tenant_id, a.agent_id)::text, 0))
    on conflict do nothing;
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_note_refusal(wanted_tenant text, holds uuid[], entity text, by_principal text, by_auth_mode text, of_table text, of_operation text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  declare
    noted bigint;
  begin
    if svc_is_product() and wanted_tenant is distinct from nullif(current_setting('svc.tenant_id', true), '') then
      raise exception 'a refusal is noted in the tenant that is open' using errcode = 'insufficient_privilege';
    end if;
    insert into hold_refusal as r (tenant_id, minute, what, hold_ids, entity, principal, auth_mode, table_name, operation)
      values (wanted_tenant, date_trunc('minute', clock_timestamp()), sha256(convert_to(json_build_array(holds, entity, by_principal)::text, 'UTF8')),
        holds, entity, by_principal, by_auth_mode, of_table, of_operation)
      on conflict (tenant_id, minute, what) do update set attempts = r.attempts + 1, last_at = clock_timestamp()
      returning attempts into noted;
    return noted = 1;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_note_tenant()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  begin
    insert into registered_tenant (name) values (new.tenant_id);
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_note_tenant_state()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  begin
    if new.state = 'deleted' then
      delete from registered_tenant where name = new.tenant_id;
    else
      insert into registered_tenant (name) values (new.tenant_id) on conflict do nothing;
    end if;
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_note_truncation(target oid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  begin
    perform setval('refused_truncation_table', target::bigint);
    perform setval('refused_truncation_role', (select r.oid::bigint from pg_roles r where r.rolname = session_user));
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_number_row()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        perform pg_advisory_xact_lock_shared(hashtextextended('svc ' || tg_table_name || ' ' || new.tenant_id, 0));
        new.seq := nextval(tg_argv[0]);
        return new;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_pay_tenant(buyer text, purchase uuid, agent text, publisher text, price bigint, actor text, words text, allowance bigint)
 RETURNS TABLE(done boolean, own bigint, left_of_allowance bigint, earned bigint)
 LANGUAGE plpgsql
AS $function$
      declare
        sale uuid := gen_random_uuid();
      begin
        perform set_config('svc.tenant_id', buyer, true);
        if publisher collate "C" < buyer collate "C" then
          perform set_config('svc.tenant_id', publisher, true);
          perform svc_lock_accounts(array['clearing', 'earnings']);
        end if;
        select s.done, s.own, s.left_of_allowance, s.earned into done, own, left_of_allowance, earned
        from svc_spend(buyer, purchase, agent, price, 'clearing', 'bundle.purchased', purchase::text, actor, words, allowance) s;
        if done and price > 0 then
          perform set_config('svc.tenant_id', publisher, true);
          perform svc_lock_accounts(array['clearing', 'earnings']);
          perform svc_post_transfer(sale, 'bundle.sold', purchase::text, 'svc:bundles', null, words, null, array['clearing', 'earnings'], array[-price, price]);
          perform set_config('svc.tenant_id', buyer, true);
        end if;
        return next;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_pin_table(target regclass, names text, content text[], gone text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
  declare
    pinned text[];
    condition text;
    part text;
  begin
    pinned := array(select a.attname::text from pg_attribute a where a.attrelid = target and a.attnum > 0 and not a.attisdropped and (
        a.attname = any(content)
        or exists (select from pg_index i where i.indrelid = target and i.indisprimary and a.attnum = any(i.indkey::int2[]))) order by a.attnum);
    if not content <@ pinned then
      raise exception '% has no such columns: %', target, content using errcode = 'undefined_column';
    end if;
    -- The type json has no equality.
    select string_agg(format('old.%1$I is not null and old.%1$I%2$s is distinct from new.%1$I%2$s', a.attname,
        case a.atttypid when 'json'::regtype then '::text' else '' end), ' or ' order by a.attnum)
      into condition from pg_attribute a where a.attrelid = target and a.attname = any(pinned);
    if gone is not null then
      condition := condition || (select case a.atttypid
          when 'boolean'::regtype then format(' or not old.%1$I and new.%1$I', gone)
          else format(' or old.%1$I is null and new.%1$I > %2$L', gone, '-infinity') end
        from pg_attribute a where a.attrelid = target and a.attname = gone);
      pinned := pinned || gone;
    end if;
    -- The product's statement fails, so that one look after it will do; anyone else keeps pinned rows, row by row.
    execute format('create trigger legal_hold before delete on %s for each row when (not svc_is_product()) execute function svc_keep_held(%L)', target, names);
    execute format('create trigger legal_hold_rows after delete on %s referencing old table as gone for each statement when (svc_is_product()) execute function svc_keep_held_rows(%L)',
      target, names);
    execute format('create trigger legal_hold_update before update of %s on %s for each row when (%s) execute function svc_keep_held(%L)',
      (select string_agg(quote_ident(name), ', ') from unnest(pinned) name), target, condition, names);
    execute format('create trigger legal_hold_truncate before truncate on %s for each statement execute function svc_keep_held_table()', target);
    foreach part in array array['legal_hold', 'legal_hold_rows', 'legal_hold_update', 'legal_hold_truncate'] loop
      execute format('alter table %s enable always trigger %I', target, part);
    end loop;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_post_transfer(transfer uuid, why text, about text, actor text, agent text, words text, undone uuid, accounts text[], amounts bigint[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
  declare
    me text := nullif(current_setting('svc.tenant_id', true), '');
  begin
    insert into ledger_transfer (tenant_id, transfer_id, reason, reference, principal, agent_id, note, reverses)
    values (me, transfer, why, about, actor, agent, words, undone);
    insert into ledger_entry (tenant_id, transfer_id, entry_no, account_id, amount)
    select me, transfer, row_number() over (order by e.place), e.account_id, e.amount
    from unnest(accounts, amounts) with ordinality e(account_id, amount, place) where e.amount <> 0;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_projects_gating_claims(me text)
 RETURNS text[]
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(array_agg(p.project_id), '{}') from work_gate_policy p
  where p.tenant_id = me and p.moves && array['ready>in_progress', 'ready>*', '*>in_progress', '*>*']
$function$
;

CREATE OR REPLACE FUNCTION public.svc_quarantine_facts(me text, wanted uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
  declare
    chains bytea[];
    head fact_head;
    is_last boolean;
    gone uuid[];
    all_gone uuid[] := '{}';
  begin
    perform svc_enter_facts(me);
    select array_agg(distinct f.chain order by f.chain) into chains
      from unnest(wanted) w(fact_id) join fact f on f.tenant_id = me and f.fact_id = w.fact_id and f.deleted_at is null and not f.tombstone;
    -- In the order in which writers take them.
    for head in select h.* from unnest(chains) with ordinality c(chain, place)
      join fact_head h on h.tenant_id = me and h.chain = c.chain order by c.place for no key update of h
    loop
      is_last := exists (select from fact f where f.tenant_id = me and f.seq = head.seq and f.fact_id = any (wanted));
      with withheld as (
        update fact f set quarantined = true, deleted_at = '-infinity'
        where f.tenant_id = me and f.chain = head.chain and f.deleted_at is null and not f.tombstone
          and (is_last or f.fact_id = any (wanted))
        returning f.fact_id
      )
      select coalesce(array_agg(w.fact_id), '{}') into gone from withheld w;
      if cardinality(gone) > 0 then
        update fact_head h set records = h.records - cardinality(gone) where h.tenant_id = me and h.chain = head.chain;
        perform svc_count_facts(me, '', head.visibility, -cardinality(gone), -is_last::int);
        if head.owner <> '' then
          perform svc_count_facts(me, head.owner, head.visibility, -cardinality(gone), -is_last::int);
        end if;
        all_gone := all_gone || gone;
      end if;
    end loop;
    insert into outbox_event (tenant_id, event_id, kind, subject, data)
      select me, gen_random_uuid(), 'fact.quarantined', f.fact_id, case f.visibility
        when 0 then jsonb_build_object('fact_id', f.fact_id, 'entity', f.entity, 'key', f.key, 'version', f.version)
        else jsonb_build_object('fact_id', f.fact_id, 'private', true) end
      from fact f where f.tenant_id = me and f.fact_id = any (all_gone) order by f.seq;
    return all_gone;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_rebase_events()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
      begin
        update outbox_cursor c set transaction = '3', position = coalesce((select min(e.position) - 1 from outbox_event e
          where (e.transaction, e.position) > (c.transaction, c.position)), 9223372036854775807);
        update outbox_event set transaction = '3';
        update watch set created_snapshot = null;
        update webhook_endpoint set created_snapshot = null;
        delete from outbox_restore;
        insert into outbox_restore (position)
          select setval('outbox_event_position_seq', greatest(last_value + 1000000000, (extract(epoch from clock_timestamp()) * 1000)::bigint))
          from outbox_event_position_seq;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_record_moves(me text, moves json)
 RETURNS SETOF work_item
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
  declare
    clock timestamptz := date_trunc('milliseconds', clock_timestamp());
    move record;
  begin
    for move in
      select * from json_to_recordset(moves) m (work_id text, version int, from_state text, to_state text, passport text, principal text, subject text,
        why text, assignee text, fence bigint, receipt_id uuid, begins boolean, ends text, comment_id uuid, comment text)
    loop
      if move.begins then
        update lease l set receipt_acquire = move.receipt_id where l.tenant_id = me and l.fence = move.fence;
      end if;
      if move.ends is not null then
        update lease l set status = move.ends, ended_at = clock, receipt_end = move.receipt_id
          where l.tenant_id = me and l.fence = move.fence and l.status = 'held';
      end if;
      if move.comment_id is not null then
        insert into work_comment (tenant_id, work_id, comment_id, author_passport, body, receipt_id)
          values (me, move.work_id, move.comment_id, move.passport, move.comment, move.receipt_id);
      end if;
      if move.from_state <> move.to_state then
        insert into work_transition (tenant_id, work_id, version, from_state, to_state, passport, principal, subject, why, assignee_passport, fence,
            receipt_id, changed_at)
          values (me, move.work_id, move.version, move.from_state, move.to_state, move.passport, move.principal, move.subject, move.why, move.assignee,
            move.fence, move.receipt_id, clock);
      end if;
      if move.ends is not null then
        return query update work_item w set lease_fence = null, lease_holder = null, lease_expires_at = null, updated_at = clock,
            version = move.version, state = move.to_state,
            assignee_passport = case when w.state = 'in_progress' then null else w.assignee_passport end
          where w.tenant_id = me and w.work_id = move.work_id returning w.*;
      end if;
    end loop;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_record_retrievals(me text, receipts json, retrievals json)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
  begin
    perform set_config('svc.tenant_id', me, true);
    with r as materialized (
      select * from json_to_recordset(receipts)
        r(digest bytea, record bytea, actor text, occurred_at timestamptz, session text)
    ), logged as (
      insert into log_pending (record_type, record_digest) select 'retrieval', digest from r
    )
    insert into retrieval_receipt (tenant_id, record_digest, record, actor, occurred_at, session)
      select me, digest, record, actor, occurred_at, session from r;
    if json_array_length(retrievals) = 0 then
      return;
    end if;
    insert into retrieval (tenant_id, retrieval_id, agent_id, lane, request, results, receipt_id, execution_receipt_id,
        created_at)
      select me, "retrievalId", "agentId", lane, request, results, "receiptId", "executionReceiptId", "createdAt"
      from json_to_recordset(retrievals) r("retrievalId" uuid, "agentId" text, lane text, request jsonb, results jsonb,
        "receiptId" text, "executionReceiptId" uuid, "createdAt" timestamptz);
    perform svc_remember_retrievals(retrievals);
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_release_agent(wanted_agent uuid, sponsor text, acting text, why text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
      declare
        ended boolean;
      begin
        perform set_config('svc.tenant_id', 'svc-discovery', true);
        update agent a set ended_at = now(), ended_by = acting, end_reason = why
          where a.tenant_id = 'svc-discovery' and a.agent_id = wanted_agent and a.sponsor_tenant_id = sponsor and a.ended_at is null;
        ended := found;
        perform set_config('svc.tenant_id', sponsor, true);
        return ended;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_release_facts(me text, wanted uuid[], kept uuid[])
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
  declare
    head fact_head;
    back int;
    is_last boolean;
    total int := 0;
    seqs bigint[];
    all_back bigint[] := '{}';
  begin
    perform svc_enter_facts(me);
    for head in select h.* from fact_head h where h.tenant_id = me and h.chain in (
        select f.chain from unnest(wanted) w(fact_id) join fact f on f.tenant_id = me and f.fact_id = w.fact_id and f.quarantined)
      order by h.chain for no key update
    loop
      continue when exists (select from fact f where f.tenant_id = me and f.seq = head.seq and f.quarantined and f.fact_id = any (kept));
      with released as (
        update fact f set quarantined = false, deleted_at = s.ended_at,
          superseded_by = coalesce(f.superseded_by, s.next_id), superseded_at = coalesce(f.superseded_at, s.next_at),
          ends_at = least(f.ends_at, case when f.superseded_by is null then s.next_begins end, s.ended_at)
        from (
          select q.seq, n.fact_id as next_id, n.stored_at as next_at, coalesce(n.valid_from, n.stored_at) as next_begins, (
              select t.stored_at from fact t where t.tenant_id = me and t.chain = head.chain and t.version > q.version and t.tombstone
              order by t.version limit 1) as ended_at
          from fact q left join fact n on n.tenant_id = me and n.chain = head.chain and n.version = q.version + 1
          where q.tenant_id = me and q.chain = head.chain and q.quarantined and q.fact_id <> all (kept)
        ) s
        where f.tenant_id = me and f.seq = s.seq
        returning f.seq, f.deleted_at
      )
      select count(*) filter (where r.deleted_at is null), coalesce(bool_or(r.seq = head.seq), false),
          coalesce(array_agg(r.seq) filter (where r.deleted_at is null), '{}')
        into back, is_last, seqs from released r;
      if back > 0 then
        update fact_head h set records = h.records + back where h.tenant_id = me and h.chain = head.chain;
        perform svc_count_facts(me, '', head.visibility, back, is_last::int);
        if head.owner <> '' then
          perform svc_count_facts(me, head.owner, head.visibility, back, is_last::int);
        end if;
        total := total + back;
        all_back := all_back || seqs;
      end if;
    end loop;
    insert into outbox_event (tenant_id, event_id, kind, subject, data)
      select me, gen_random_uuid(), 'fact.released', f.fact_id, case f.visibility
        when 0 then jsonb_build_object('fact_id', f.fact_id, 'entity', f.entity, 'key', f.key, 'version', f.version)
        else jsonb_build_object('fact_id', f.fact_id, 'private', true) end
      from fact f where f.tenant_id = me and f.seq = any (all_back) order by f.seq;
    return total;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_remember_retrievals(retrievals json)
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
  begin
    insert into agent_retrieval as a (tenant_id, agent_id, retrieval_id, lane, request, results, created_at)
      select distinct on ("tenantId", "agentId") "tenantId", "agentId", "retrievalId", lane, request, results, "createdAt"
      from rows from (json_to_recordset(retrievals) as ("tenantId" text, "agentId" text, "retrievalId" uuid, lane text,
          request jsonb, results jsonb, "createdAt" timestamptz)) with ordinality
        as r("tenantId", "agentId", "retrievalId", lane, request, results, "createdAt", place)
      order by "tenantId", "agentId", "createdAt" desc, place desc
      on conflict (tenant_id, agent_id) do update set retrieval_id = excluded.retrieval_id, lane = excluded.lane,
        request = excluded.request, results = excluded.results, created_at = excluded.created_at
      where a.created_at <= excluded.created_at;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_retire_chain(me text, of_chain bytea, deletion json, batch_id uuid, leaf integer, began timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
  declare
    head fact_head;
    tombstone_id uuid := deletion ->> 'fact_id';
    deleted_by text := deletion ->> 'actor';
  begin
    update fact_head h set version = h.version + 1, supersedes = h.seq, seq = nextval('fact_seq'), stored_at = greatest(h.stored_at, began)
      where h.tenant_id = me and h.chain = of_chain and h.records > 0 and h.version = (deletion ->> 'version')::int - 1 returning h.* into head;
    if not found or head.stored_at > began then
      raise exception 'another writer was first' using errcode = 'SF001', detail = '{}';
    end if;
    insert into fact (tenant_id, seq, fact_id, chain, version, visibility, owner, entity, key, value, actor, actor_claimed, written_by, confidence,
        horizon_class, tokens, stored_at, tombstone, supersedes, receipt_id, leaf_index)
      select me, head.seq, tombstone_id, of_chain, head.version, f.visibility, f.owner, f.entity, f.key, '', deleted_by, false,
        deletion ->> 'written_by', f.confidence, f.horizon_class, 0, head.stored_at, true, head.supersedes, batch_id, leaf
      from fact f where f.tenant_id = me and f.seq = head.supersedes;
    update fact f set deleted_at = head.stored_at, ends_at = least(f.ends_at, head.stored_at),
      superseded_by = coalesce(f.superseded_by, tombstone_id), superseded_at = coalesce(f.superseded_at, head.stored_at)
      -- All since the deletion before. Records in quarantine may stand between them, which its end finds deleted.
      where f.tenant_id = me and f.chain = of_chain and f.deleted_at is null and not f.tombstone;
    update fact_head h set records = 0 where h.tenant_id = me and h.chain = of_chain;
    perform svc_count_facts(me, '', head.visibility, -head.records, -1);
    if head.owner <> '' then
      perform svc_count_facts(me, head.owner, head.visibility, -head.records, -1);
    end if;
    insert into outbox_event (tenant_id, event_id, kind, subject, data)
      select me, tombstone_id, 'fact.retired', f.fact_id, case head.visibility
        when 0 then jsonb_build_object('fact_id', f.fact_id, 'entity', f.entity, 'key', f.key, 'version', f.version, 'actor', deleted_by)
        else jsonb_build_object('fact_id', f.fact_id, 'private', true) end
      from fact f where f.tenant_id = me and f.seq = head.supersedes;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_retire_fact_batch(me text, of_chain bytea, deletion json, batch json)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
  begin
    perform svc_enter_facts(me);
    perform svc_add_fact_batch(me, batch);
    perform svc_retire_chain(me, of_chain, deletion, (batch ->> 'receipt_id')::uuid, 0, (batch ->> 'occurred_at')::timestamptz);
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_retire_fact_batches(me text, deletions json, batch json)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
  declare
    batch_id uuid := batch ->> 'receipt_id';
    began timestamptz := batch ->> 'occurred_at';
    one record;
  begin
    perform svc_enter_facts(me);
    perform svc_add_fact_batch(me, batch);
    for one in select d.deletion, d.place::int - 1 as leaf from json_array_elements(deletions) with ordinality d (deletion, place) order by d.place loop
      perform svc_retire_chain(me, decode(one.deletion ->> 'chain', 'hex'), one.deletion, batch_id, one.leaf, began);
    end loop;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_retrieve(me text, wanted_tenants text[], wanted text[])
 RETURNS TABLE(state text, chunk_id text, tenant_id text, corpus_id text, doc_id text, version integer, title text, url text, content text, content_hash bytea, location jsonb)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
      begin
        perform set_config('svc.tenant_id', me, true);
        return query
          select null::text, c.chunk_id, c.tenant_id, c.corpus_id, c.doc_id, c.version, c.title, c.url, c.content, c.content_hash,
            c.location
          from unnest(wanted_tenants, wanted) w(tenant_id, chunk_id)
          join chunk c on c.tenant_id = w.tenant_id and c.chunk_id = w.chunk_id;
        return query
          select coalesce(string_agg(v.shard_id || ':' || v.generation, ',' order by v.shard_id), ''),
            null, null, null, null, null::int, null, null, null, null::bytea, null::jsonb
          from svc_visible_shards() v;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_reverse_transfer(me text, transfer uuid, undone uuid, why text, about text, actor text, words text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
  declare
    accounts text[];
    amounts bigint[];
    agent text;
  begin
    perform set_config('svc.tenant_id', me, true);
    select array_agg(e.account_id order by e.entry_no), array_agg(-e.amount order by e.entry_no) into accounts, amounts
    from ledger_entry e where e.tenant_id = me and e.transfer_id = undone;
    if accounts is null then
      return false;
    end if;
    perform svc_lock_accounts(accounts);
    if exists (select from ledger_transfer t where t.tenant_id = me and t.reverses = undone) then
      return false;
    end if;
    select t.agent_id into agent from ledger_transfer t where t.tenant_id = me and t.transfer_id = undone;
    perform svc_post_transfer(transfer, why, about, actor, agent, words, undone, accounts, amounts);
    return true;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_row_writers(me text, of_table text)
 RETURNS TABLE(writer text)
 LANGUAGE sql
AS $function$
    select distinct l.virtualtransaction from pg_locks l, hashtextextended('svc ' || of_table || ' ' || me, 0) k
    where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and l.database = (select d.oid from pg_database d where d.datname = current_database())
      and l.classid = ((k >> 32) & 4294967295)::oid and l.objid = (k & 4294967295)::oid and l.pid <> pg_backend_pid()
  $function$
;

CREATE OR REPLACE FUNCTION public.svc_sampling_fingerprint(me text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
    select md5(string_agg(o::text, ' ' order by o.sampling_policy_id)) from shield_sampling_policy o
    where o.tenant_id = me and o.rate_per_million > 0
  $function$
;

CREATE OR REPLACE FUNCTION public.svc_seconds_until(moment timestamp with time zone)
 RETURNS integer
 LANGUAGE sql
AS $function$
        select greatest(0, ceil(extract(epoch from moment - clock_timestamp())))::int;
      $function$
;

CREATE OR REPLACE FUNCTION public.svc_secure_table(target regclass)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
      begin
        execute format('alter table %s enable row level security', target);
        execute format('alter table %s force row level security', target);
        execute format(
          'create policy tenant_rows on %s to svc_app using (tenant_id = nullif(current_setting(''svc.tenant_id'', true), '''')) '
          'with check (tenant_id = nullif(current_setting(''svc.tenant_id'', true), ''''))', target);
        execute format('create policy operator_rows on %s to svc_operator using (true) with check (true)', target);
        execute format(
          'create policy erased_rows on %s to current_user using (tenant_id = nullif(current_setting(''svc.erased_tenant'', true), ''''))', target);
        perform svc_grant_table(target);
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_set_key_lookup()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      begin
        new.lookup := svc_key_lookup(new.key_hash);
        return new;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_settle_export(me text)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
AS $function$
  declare
    now_settled timestamptz;
  begin
    perform svc_settle_facts(me);
    insert into fact_settled as s (tenant_id, settled_at) values (me, date_trunc('milliseconds', clock_timestamp()))
      on conflict (tenant_id) do update set settled_at = greatest(s.settled_at, excluded.settled_at)
      returning s.settled_at into now_settled;
    return now_settled;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_settle_facts(me text)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
  begin
    perform set_config('svc.tenant_id', me, true);
    perform pg_advisory_xact_lock(hashtextextended('svc facts ' || me, 0));
    return coalesce((select max(f.seq) from fact f where f.tenant_id = me), 0);
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_shard_vectors(me text, owner text, shard uuid, wanted_model text, after bigint)
 RETURNS TABLE(chunk_id text, generation text, vector bytea)
 LANGUAGE plpgsql
AS $function$
      begin
        perform set_config('svc.tenant_id', me, true);
        return query
          select v.chunk_id, v.generation::text, v.vector from chunk_vector v
          where v.tenant_id = owner and v.shard_id = shard and v.model = wanted_model and v.generation > after;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_shield_facts(me text, wanted_principal text, wanted_server text, wanted_digest text, wanted_token bytea)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
AS $function$
  declare
    server json;
    digest json;
    publishers json := '[]';
    approval json;
    policy shield_policy%rowtype;
  begin
    select p.* into policy from shield_policy p where p.tenant_id = me;
    if wanted_server is not null then
      select json_build_object('status', s.status, 'reason', s.reason, 'publisherId', s.publisher_id, 'toolDigests', s.tool_digests)
        into server from shield_server s where s.tenant_id = me and s.server_id = wanted_server;
    end if;
    if wanted_digest is not null then
      select json_build_object('status', d.status, 'reason', d.reason, 'publisherId', d.publisher_id)
        into digest from shield_digest d where d.tenant_id = me and d.digest = wanted_digest;
    end if;
    if server is not null or digest is not null then
      select coalesce(json_agg(json_build_object('publisherId', p.publisher_id, 'status', p.status, 'reason', p.reason) order by p.publisher_id), '[]')
        into publishers from shield_publisher p
        where p.tenant_id = me and p.publisher_id in (server->>'publisherId', digest->>'publisherId');
    end if;
    if wanted_token is not null then
      select json_build_object('approvalRequestId', a.approval_request_id, 'principal', a.principal, 'action', a.action,
          'state', case when a.state = 'approved' and a.expires_at <= statement_timestamp() then 'expired' else a.state end,
          'serverId', a.server_id, 'toolDigest', a.tool_digest, 'argumentsDigest', 'sha256:' || encode(a.arguments_digest, 'hex'),
          'policyVersion', a.policy_version, 'spendCredits', a.spend_credits, 'endReason', a.end_reason)
        into approval from shield_approval a where a.tenant_id = me and a.token_hash = wanted_token;
    end if;
    return json_build_object(
      'policyVersion', coalesce(policy.version, 1),
      'policy', json_build_object(
        'requireServerId', coalesce(policy.require_server_id, false), 'requireToolDigest', coalesce(policy.require_tool_digest, false),
        'requireRegistered', coalesce(policy.require_registered, false), 'requireUiIntegrity', coalesce(policy.require_ui_integrity, false),
        'spendWindow', case when policy.spend_window_seconds is not null then
          json_build_object('credits', policy.spend_window_credits, 'seconds', policy.spend_window_seconds) end),
      'switches', coalesce((
        select json_agg(json_build_object('killSwitchId', k.kill_switch_id, 'scope', k.scope, 'target', k.target, 'mode', k.mode,
          'includeReads', k.include_reads, 'reason', k.reason) order by k.kill_switch_id)
        from shield_kill_switch k where k.tenant_id = me and k.lifted_at is null
          and (k.expires_at is null or k.expires_at > statement_timestamp())
          and (k.scope in ('tenant', 'action', 'publisher') or k.target in (wanted_principal, wanted_server))), '[]'),
      'sampling', coalesce((
        select json_agg(json_build_object('samplingPolicyId', o.sampling_policy_id, 'action', o.match_action, 'outcome', o.match_outcome,
          'principal', o.match_principal, 'ratePerMillion', o.rate_per_million) order by o.sampling_policy_id)
        from shield_sampling_policy o where o.tenant_id = me and o.rate_per_million > 0), '[]'),
      'server', server, 'digest', digest, 'publishers', publishers, 'approval', approval,
      'hasApproved', wanted_token is null and exists (
        select from shield_approval a where a.tenant_id = me and a.principal = wanted_principal and a.state = 'approved'
          and a.expires_at > statement_timestamp()));
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_shield_read_switches(me text)
 RETURNS TABLE(scope text, target text, include_reads boolean)
 LANGUAGE plpgsql
AS $function$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query
      select s.scope, s.target, s.include_reads from shield_kill_switch s
      where s.tenant_id = me and s.lifted_at is null and (s.include_reads or s.scope = 'action')
        and (s.expires_at is null or s.expires_at > statement_timestamp());
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_shield_stops(me text)
 RETURNS TABLE(kill_switch_id uuid, principal text, include_reads boolean, reason text)
 LANGUAGE plpgsql
AS $function$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query
      select s.kill_switch_id, s.target, s.include_reads, s.reason from shield_kill_switch s
      where s.tenant_id = me and s.lifted_at is null and s.mode = 'deny' and s.scope in ('tenant', 'principal')
        and (s.expires_at is null or s.expires_at > statement_timestamp());
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_sign_in_succeeded(of_address bytea, of_pair bytea, of_tenant bytea, mark integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
      begin
        update throttle set attempts = greatest(attempts - 1, 0), blocked_until = case when attempts = mark then null else blocked_until end
          where subject = of_address;
        delete from throttle where subject = of_pair;
        update throttle set attempts = greatest(attempts - 1, 0) where subject = of_tenant;
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_spend(me text, transfer uuid, agent text, credits bigint, target text, why text, about text, actor text, words text, allowance bigint)
 RETURNS TABLE(done boolean, own bigint, left_of_allowance bigint, earned bigint)
 LANGUAGE plpgsql
AS $function$
  declare
    this_month date := svc_utc_month();
    mine text := 'agent:' || agent;
    accounts text[] := array[mine];
    is_due boolean := false;
    granted_before bigint;
    from_own bigint;
    from_allowance bigint;
  begin
    perform set_config('svc.tenant_id', me, true);
    if allowance is not null then
      accounts := accounts || array['allowance', 'earnings'];
      if not exists (select from ledger_allowance g where g.tenant_id = me and g.month = this_month and g.granted >= allowance) then
        -- Before any account is locked: whoever waits here holds nothing that another could wait for.
        insert into ledger_allowance (tenant_id, month, granted) values (me, this_month, allowance) on conflict do nothing;
        is_due := found;
      end if;
    end if;
    if is_due then
      accounts := accounts || array['issuance'];
    end if;
    if credits > 0 then
      accounts := accounts || array[target];
    end if;
    if credits > 0 or is_due then
      select sum(a.balance) filter (where a.account_id = mine), sum(a.balance) filter (where a.account_id = 'allowance'),
        sum(a.balance) filter (where a.account_id = 'earnings')
      into own, left_of_allowance, earned from svc_lock_accounts(accounts) a;
    else
      select sum(a.balance) filter (where a.account_id = mine), sum(a.balance) filter (where a.account_id = 'allowance'),
        sum(a.balance) filter (where a.account_id = 'earnings')
      into own, left_of_allowance, earned from ledger_account a where a.tenant_id = me and a.account_id = any (accounts);
    end if;
    own := coalesce(own, 0);
    left_of_allowance := coalesce(left_of_allowance, 0);
    earned := coalesce(earned, 0);
    if is_due then
      select max(g.granted) into granted_before from ledger_allowance g
      where g.tenant_id = me and g.month = this_month and g.granted <> allowance;
      if granted_before is null and left_of_allowance > 0 then
        perform svc_post_transfer(gen_random_uuid(), 'allowance.expired', to_char(this_month, 'YYYY-MM'), 'svc:allowance', null, null, null,
          array['allowance', 'issuance'], array[-left_of_allowance, left_of_allowance]);
        left_of_allowance := 0;
      end if;
      if allowance > coalesce(granted_before, 0) then
        granted_before := allowance - coalesce(granted_before, 0);
        perform svc_post_transfer(gen_random_uuid(), 'allowance.granted', to_char(this_month, 'YYYY-MM') || ':' || allowance, 'svc:allowance',
          null, null, null, array['issuance', 'allowance'], array[-granted_before, granted_before]);
        left_of_allowance := left_of_allowance + granted_before;
      end if;
    end if;
    done := credits = 0 or exists (select from ledger_transfer t where t.tenant_id = me and t.reason = why and t.reference = about);
    if not done and credits <= own + left_of_allowance + earned then
      done := true;
      from_own := least(credits, own);
      from_allowance := least(credits - from_own, left_of_allowance);
      perform svc_post_transfer(transfer, why, about, actor, agent, words, null, array[mine, 'allowance', 'earnings', target],
        array[-from_own, -from_allowance, -(credits - from_own - from_allowance), credits]);
      own := own - from_own;
      left_of_allowance := left_of_allowance - from_allowance;
      earned := earned - (credits - from_own - from_allowance);
    end if;
    return next;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_spend_nonce(hash bytea)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  begin
    update sync_nonce set spent_at = clock_timestamp()
    where nonce_hash = hash and spent_at is null and expires_at > clock_timestamp();
    if found then
      return 'taken';
    end if;
    return coalesce((select case when spent_at is null then 'expired' else 'spent' end from sync_nonce where nonce_hash = hash), 'unknown');
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_sponsor_agent(wanted_agent uuid, sponsor text, wanted_tier text, acting text)
 RETURNS TABLE(claimed boolean, sponsor_tenant_id text, sponsor_tier text, sponsored_at timestamp with time zone, is_over boolean)
 LANGUAGE plpgsql
AS $function$
      declare
        won boolean;
      begin
        perform set_config('svc.tenant_id', 'svc-discovery', true);
        update agent a set sponsor_tenant_id = sponsor, sponsor_tier = wanted_tier, sponsored_at = now(), sponsored_by = acting
          where a.tenant_id = 'svc-discovery' and a.agent_id = wanted_agent and a.sponsor_tenant_id is null
            and a.ended_at is null and a.expires_at > now();
        won := found;
        return query
          select won, a.sponsor_tenant_id, a.sponsor_tier, a.sponsored_at, a.ended_at is not null or a.expires_at <= now() from agent a
          where a.tenant_id = 'svc-discovery' and a.agent_id = wanted_agent;
        perform set_config('svc.tenant_id', sponsor, true);
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_state_root(me text)
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$
    select sha256(coalesce(string_agg(l.line, ''::bytea order by l.part, l.line), ''::bytea))
    from (
      select 1 as part, sha256(convert_to('document' || jsonb_build_array(d.corpus_id, d.doc_id, v.version, encode(v.content_hash, 'hex'))::text, 'UTF8')) as line
      from document d
      join document_version v on v.tenant_id = d.tenant_id and v.corpus_id = d.corpus_id and v.doc_id = d.doc_id and v.version = d.current_version
      where d.tenant_id = me and d.current_version is distinct from d.quarantined_version
      union all
      select 2, sha256(convert_to('fact' || jsonb_build_array(f.fact_id, f.version, encode(sha256(convert_to(f.value, 'UTF8')), 'hex'), h.records)::text, 'UTF8'))
      from fact_head h join fact f on f.tenant_id = h.tenant_id and f.seq = h.seq
      where h.tenant_id = me and h.records > 0
      union all
      select 3, sha256(convert_to('case' || jsonb_build_array(c.case_id, c.content_hash)::text, 'UTF8'))
      from memory_case c where c.tenant_id = me and not c.quarantined
    ) l
  $function$
;

CREATE OR REPLACE FUNCTION public.svc_store_edge(me text, source_kind text, source_id text, of_kind text, target_kind text, target_id text, content json, actor text, event uuid)
 RETURNS SETOF graph_edge
 LANGUAGE plpgsql
AS $function$
  declare
    head graph_edge;
  begin
    perform set_config('svc.tenant_id', me, true);
    insert into graph_edge as e (tenant_id, from_kind, from_id, edge_kind, to_kind, to_id, payload, created_at, updated_at, updated_by)
      values (me, source_kind, source_id, of_kind, target_kind, target_id, content, clock_timestamp(), clock_timestamp(), actor)
      on conflict (tenant_id, from_kind, from_id, edge_kind, to_kind, to_id) do update set payload = excluded.payload, version = e.version + 1,
        is_deleted = false, updated_at = clock_timestamp(), updated_by = excluded.updated_by,
        live_since = case when e.is_deleted then e.version + 1 else e.live_since end
      returning * into head;
    if head.live_since = head.version then
      -- In one order, so that two writers never wait for each other.
      insert into graph_kind (tenant_id, kind, used_by, slot, live)
        select distinct me, k.kind, 'endpoint', 0, 0 from unnest(array[source_kind, target_kind]) as k(kind) order by k.kind on conflict do nothing;
      perform svc_count_kind(me, of_kind, 'edge', 1);
    end if;
    perform svc_tell_edge(head, 'edge.stored', event);
    return next head;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_store_edges(me text, rounds json, actor text)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
  #variable_conflict use_column
  declare
    round json;
    heads graph_edge[];
    stored integer := 0;
    made record;
  begin
    perform set_config('svc.tenant_id', me, true);
    for round in select r from json_array_elements(rounds) r loop
      with incoming as materialized (
        select e ->> 'from_kind' collate "C" as from_kind, e ->> 'from_id' collate "C" as from_id, e ->> 'edge_kind' collate "C" as edge_kind,
          e ->> 'to_kind' collate "C" as to_kind, e ->> 'to_id' collate "C" as to_id, e -> 'payload' as payload, (e ->> 'event')::uuid as event
        from json_array_elements(round) e
      ), head as (
        insert into graph_edge as g (tenant_id, from_kind, from_id, edge_kind, to_kind, to_id, payload, created_at, updated_at, updated_by)
        select me, i.from_kind, i.from_id, i.edge_kind, i.to_kind, i.to_id, i.payload, clock_timestamp(), clock_timestamp(), actor
        from (select * from incoming order by from_kind, from_id, edge_kind, to_kind, to_id) i
        on conflict (tenant_id, from_kind, from_id, edge_kind, to_kind, to_id) do update set payload = excluded.payload, version = g.version + 1,
          is_deleted = false, updated_at = clock_timestamp(), updated_by = excluded.updated_by,
          live_since = case when g.is_deleted then g.version + 1 else g.live_since end
        returning *
      ), reported as (
        insert into outbox_event (tenant_id, event_id, kind, subject, data)
        select me, i.event, 'edge.stored',
          i.from_kind || '/' || i.from_id || ' ' || i.edge_kind || ' ' || i.to_kind || '/' || i.to_id,
          jsonb_build_object('from_kind', i.from_kind, 'from_id', i.from_id, 'edge_kind', i.edge_kind, 'to_kind', i.to_kind, 'to_id', i.to_id,
            'version', h.version, 'actor', actor)
        from incoming i join head h
          on h.from_kind = i.from_kind and h.from_id = i.from_id and h.edge_kind = i.edge_kind and h.to_kind = i.to_kind and h.to_id = i.to_id
      )
      select array_agg(h::graph_edge) into heads from head h;
      stored := stored + cardinality(heads);
      insert into graph_kind (tenant_id, kind, used_by, slot, live)
        select distinct me, k.kind, 'endpoint', 0, 0 from unnest(heads) h cross join lateral (values (h.from_kind), (h.to_kind)) k(kind)
        where h.live_since = h.version order by k.kind on conflict do nothing;
      for made in select h.edge_kind, count(*)::integer as added from unnest(heads) h where h.live_since = h.version
          group by h.edge_kind order by h.edge_kind loop
        perform svc_count_kind(me, made.edge_kind, 'edge', made.added);
      end loop;
    end loop;
    return stored;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_store_entities(me text, rounds json, actor text)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
  #variable_conflict use_column
  declare
    round json;
    heads graph_entity[];
    stored integer := 0;
    made record;
  begin
    perform set_config('svc.tenant_id', me, true);
    for round in select r from json_array_elements(rounds) r loop
      -- In one order, so that two writers of lists never wait for each other.
      with incoming as materialized (
        select e ->> 'kind' collate "C" as kind, e ->> 'id' collate "C" as id, e -> 'payload' as payload, (e ->> 'event')::uuid as event
        from json_array_elements(round) e
      ), head as (
        insert into graph_entity as g (tenant_id, kind, id, created_at, updated_at)
        select me, i.kind, i.id, clock_timestamp(), clock_timestamp() from (select * from incoming order by kind, id) i
        on conflict (tenant_id, kind, id) do update set version = g.version + 1, is_deleted = false, updated_at = clock_timestamp(),
          live_since = case when g.is_deleted then g.version + 1 else g.live_since end
        returning *
      ), version as (
        insert into graph_entity_version (tenant_id, kind, id, version, payload, is_deleted, stored_by, stored_at)
        select me, i.kind, i.id, h.version, i.payload, false, actor, h.updated_at from incoming i join head h on h.kind = i.kind and h.id = i.id
      ), reported as (
        insert into outbox_event (tenant_id, event_id, kind, subject, data)
        select me, i.event, 'entity.stored', i.kind || '/' || i.id,
          jsonb_build_object('kind', i.kind, 'id', i.id, 'version', h.version, 'actor', actor)
        from incoming i join head h on h.kind = i.kind and h.id = i.id
      )
      select array_agg(h::graph_entity) into heads from head h;
      stored := stored + cardinality(heads);
      for made in select h.kind, count(*)::integer as added from unnest(heads) h where h.live_since = h.version group by h.kind order by h.kind loop
        perform svc_count_kind(me, made.kind, 'entity', made.added);
      end loop;
    end loop;
    return stored;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_store_entity(me text, of_kind text, of_id text, content json, actor text, event uuid)
 RETURNS SETOF graph_entity
 LANGUAGE plpgsql
AS $function$
  declare
    head graph_entity;
  begin
    perform set_config('svc.tenant_id', me, true);
    insert into graph_entity as e (tenant_id, kind, id, created_at, updated_at) values (me, of_kind, of_id, clock_timestamp(), clock_timestamp())
      on conflict (tenant_id, kind, id) do update set version = e.version + 1, is_deleted = false, updated_at = clock_timestamp(),
        live_since = case when e.is_deleted then e.version + 1 else e.live_since end
      returning * into head;
    insert into graph_entity_version (tenant_id, kind, id, version, payload, is_deleted, stored_by, stored_at)
      values (me, of_kind, of_id, head.version, content, false, actor, head.updated_at);
    if head.live_since = head.version then
      perform svc_count_kind(me, of_kind, 'entity', 1);
    end if;
    perform svc_tell_entity(head, 'entity.stored', actor, event);
    return next head;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_store_fact_batch(me text, rounds json, batch json)
 RETURNS TABLE(by_place integer, replaced_id uuid, beginning text, is_cut boolean, replaced_version integer, replaced_at timestamp with time zone)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
  declare
    round json;
    batch_id uuid := batch ->> 'receipt_id';
    began timestamptz := batch ->> 'occurred_at';
    drawn bigint[];
    ids uuid[];
    places int[];
    asked int[];
    versions int[];
    latest timestamptz;
    starts timestamptz[];
    owners text[];
    visibilities smallint[];
    retired bigint[];
    wanted uuid[];
    actors text[];
    claims boolean[];
    missed json;
    moved record;
  begin
    perform svc_enter_facts(me);
    perform svc_add_fact_batch(me, batch);
    -- Seqs in the order of the facts: a list that is stored at once is listed in its order.
    if json_array_length(rounds) > 1 then
      drawn := array(select nextval('fact_seq') from json_array_elements(rounds) r cross join json_array_elements(r));
    end if;
    for round in select r from json_array_elements(rounds) r loop
      -- Heads are taken in the order of their chains: two batches never wait for each other.
      with incoming as materialized (
        select i.*, svc_fact_chain(i.owner, i.entity, i.key) as chain, coalesce(drawn[i.place], nextval('fact_seq')) as drawn_seq
        from json_to_recordset(round) i (place int, fact_id uuid, owner text, visibility smallint, entity text, key text, version int,
          value text, actor text, actor_claimed boolean, written_by text, confidence real, horizon_class text, tokens int, tenant_hash text,
          source_receipt text, sources_digest text, valid_from timestamptz, valid_to timestamptz, expected uuid)
      ), head as (
        insert into fact_head as h (tenant_id, chain, owner, visibility, entity, version, seq, stored_at, records)
        select me, i.chain, i.owner, i.visibility, i.entity, 1, i.drawn_seq, began, 1
        from (select * from incoming order by chain) i
        -- Another writer may have been waited for, and have drawn a later seq.
        on conflict (tenant_id, chain) do update set version = h.version + 1, records = h.records + 1,
          seq = case when h.seq < excluded.seq then excluded.seq else nextval('fact_seq') end,
          supersedes = case when h.records > 0 then h.seq end, stored_at = greatest(h.stored_at, excluded.stored_at)
        returning chain, version, seq, stored_at, supersedes
      ), placed as materialized (
        select i.*, h.version as stored_version, h.seq, h.stored_at, h.supersedes from incoming i join head h using (chain)
      ), stored as (
        insert into fact (tenant_id, seq, fact_id, chain, version, visibility, owner, entity, key, value, actor, actor_claimed, written_by,
          confidence, horizon_class, tokens, tenant_hash, source_receipt, stored_at, valid_from, valid_to, ends_at, supersedes, receipt_id,
          leaf_index, sources_digest)
        select me, p.seq, p.fact_id, p.chain, p.stored_version, p.visibility, p.owner, p.entity, p.key, p.value, p.actor, p.actor_claimed,
          p.written_by, p.confidence, p.horizon_class, p.tokens, p.tenant_hash, p.source_receipt, p.stored_at, p.valid_from, p.valid_to,
          p.valid_to, p.supersedes, batch_id, p.place - 1, p.sources_digest
        from placed p
      ), reported as (
        -- Of a private fact nothing but that it is there.
        insert into outbox_event (tenant_id, event_id, kind, subject, data)
        select me, p.fact_id, 'fact.stored', p.fact_id, case p.visibility
          when 0 then jsonb_build_object('fact_id', p.fact_id, 'entity', p.entity, 'key', p.key, 'version', p.stored_version, 'actor', p.actor)
          else jsonb_build_object('fact_id', p.fact_id, 'private', true) end
        from placed p order by p.seq
      )
      select array_agg(p.fact_id), array_agg(p.place), array_agg(p.version), array_agg(p.stored_version), max(p.stored_at),
          array_agg(coalesce(p.valid_from, p.stored_at)), array_agg(p.owner), array_agg(p.visibility), array_agg(p.supersedes),
          array_agg(p.expected), array_agg(p.actor), array_agg(p.actor_claimed)
        into ids, places, asked, versions, latest, starts, owners, visibilities, retired, wanted, actors, claims
        from placed p;

      if array_remove(wanted, null) <> '{}' then
        select json_agg(n.fact_id) into missed from unnest(ids, wanted, retired) n (fact_id, expected, seq)
          left join fact f on f.tenant_id = me and f.seq = n.seq
          where n.expected is not null and f.fact_id is distinct from n.expected;
        if missed is not null then
          raise exception 'not the expected fact is current' using errcode = 'SF002', detail = missed;
        end if;
      end if;
      if asked <> versions or latest > began then
        raise exception 'another writer was first' using errcode = 'SF001', detail = json_build_object(
          'at', case when latest > began then ceil(extract(epoch from latest) * 1000) end,
          'versions', (select json_object_agg(n.place, n.version) from unnest(places, versions) n (place, version)));
      end if;
      -- Statements of their own: they see what a writer that was waited for has committed.
      if array_remove(retired, null) <> '{}' then
        for moved in
          select n.* from unnest(retired, ids, starts, places) n (seq, fact_id, begins, place) where n.seq is not null order by n.seq
        loop
          update fact f set superseded_by = moved.fact_id, superseded_at = began, ends_at = least(f.ends_at, moved.begins)
            where f.tenant_id = me and f.seq = moved.seq
            returning moved.place, f.fact_id, left(f.value, 200), length(left(f.value, 201)) > 200, f.version, f.stored_at
            into by_place, replaced_id, beginning, is_cut, replaced_version, replaced_at;
          if found then return next; end if;
        end loop;
      end if;
      -- Into slots that no other transaction holds: counting makes nobody wait.
      insert into fact_actor as a (tenant_id, actor, actor_claimed, slot, records, last_at)
        select me, n.actor, n.claimed, coalesce((select c.slot from fact_actor c
            where c.tenant_id = me and c.actor = n.actor and c.actor_claimed = n.claimed limit 1 for update skip locked),
          (random() * 2147483647)::int), n.records, began
        from (select u.actor, u.claimed, count(*) as records from unnest(actors, claims, visibilities) u (actor, claimed, visibility)
          where u.visibility = 0 group by u.actor, u.claimed order by u.actor, u.claimed) n
        on conflict (tenant_id, actor, actor_claimed, slot)
        do update set records = a.records + excluded.records, last_at = greatest(a.last_at, excluded.last_at);
      if array_length(visibilities, 1) = array_length(array_positions(visibilities, 0::smallint), 1) then
        perform svc_count_facts(me, '', 0::smallint, cardinality(ids), coalesce(array_length(array_positions(retired, null), 1), 0));
      else
        for moved in
          select s.scope, n.visibility, count(*) as records, count(*) filter (where n.retired is null) as current
          from unnest(owners, visibilities, retired) n(owner, visibility, retired)
          cross join lateral unnest(case when n.owner = '' then array[''] else array['', n.owner] end) s(scope)
          group by s.scope, n.visibility
        loop
          perform svc_count_facts(me, moved.scope, moved.visibility, moved.records, moved.current);
        end loop;
      end if;
    end loop;
    if batch -> 'sources' is not null then
      insert into fact_source_ref (tenant_id, fact_id, position, kind, source_id, version, digest, owner_tenant_id, corpus_id, doc_id)
        select me, s.* from json_to_recordset(batch -> 'sources') s (fact_id uuid, position smallint, kind text, source_id text, version int,
          digest text, owner_tenant_id text, corpus_id text, doc_id text);
    end if;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_store_facts(me text, rounds json)
 RETURNS TABLE(fact_id uuid, version integer, stored_at timestamp with time zone, confidence real)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
  #variable_conflict use_column
  declare
    round json;
    began timestamptz;
    drawn bigint[];
    ids uuid[];
    versions int[];
    times timestamptz[];
    starts timestamptz[];
    confidences real[];
    owners text[];
    visibilities smallint[];
    retired bigint[];
    moved record;
  begin
    perform svc_enter_facts(me);
    -- One time and seqs in the order of the facts: a list that is stored at once is listed in its order.
    began := date_trunc('milliseconds', clock_timestamp());
    if json_array_length(rounds) > 1 then
      drawn := array(select nextval('fact_seq') from json_array_elements(rounds) r cross join json_array_elements(r));
    end if;
    for round in select r from json_array_elements(rounds) r loop
      -- Heads are taken in the order of their chains: two batches never wait for each other.
      with incoming as materialized (
        select i.*, svc_fact_chain(i.owner, i.entity, i.key) as chain, coalesce(drawn[i.place], nextval('fact_seq')) as seq
        from json_to_recordset(round) i (place int, fact_id uuid, owner text, visibility smallint, entity text, key text, value text, actor text,
          confidence real, horizon_class text, tokens int, tenant_hash text, source_receipt text, valid_from timestamptz, valid_to timestamptz)
      ), head as (
        insert into fact_head as h (tenant_id, chain, owner, visibility, entity, version, seq, stored_at, records)
        select me, i.chain, i.owner, i.visibility, i.entity, 1, i.seq, began, 1
        from (select * from incoming order by chain) i
        -- Another writer may have been waited for, and have drawn a later seq.
        on conflict (tenant_id, chain) do update set version = h.version + 1, records = h.records + 1,
          seq = case when h.seq < excluded.seq then excluded.seq else nextval('fact_seq') end,
          supersedes = case when h.records > 0 then h.seq end, stored_at = greatest(h.stored_at, excluded.stored_at)
        returning chain, version, seq, stored_at, supersedes
      ), stored as (
        insert into fact (tenant_id, seq, fact_id, chain, version, visibility, owner, entity, key, value, actor, confidence, horizon_class, tokens,
          tenant_hash, source_receipt, stored_at, valid_from, valid_to, ends_at, supersedes)
        select me, h.seq, i.fact_id, i.chain, h.version, i.visibility, i.owner, i.entity, i.key, i.value, i.actor, i.confidence, i.horizon_class,
          i.tokens, i.tenant_hash, i.source_receipt, h.stored_at, i.valid_from, i.valid_to, i.valid_to, h.supersedes
        from incoming i join head h using (chain)
        returning seq, fact_id, version, visibility, owner, entity, key, actor, confidence, stored_at, valid_from, supersedes
      ), reported as (
        -- Of a private fact nothing but that it is there.
        insert into outbox_event (tenant_id, event_id, kind, subject, data)
        select me, s.fact_id, 'fact.stored', s.fact_id, case s.visibility
          when 0 then jsonb_build_object('fact_id', s.fact_id, 'entity', s.entity, 'key', s.key, 'version', s.version, 'actor', s.actor)
          else jsonb_build_object('fact_id', s.fact_id, 'private', true) end
        from stored s order by s.seq
      )
      select array_agg(s.fact_id), array_agg(s.version), array_agg(s.stored_at), array_agg(coalesce(s.valid_from, s.stored_at)),
          array_agg(s.confidence), array_agg(s.owner), array_agg(s.visibility), array_agg(s.supersedes)
        into ids, versions, times, starts, confidences, owners, visibilities, retired from stored s;

      -- Statements of their own: they see what a writer that was waited for has committed.
      for moved in
        select n.* from unnest(retired, ids, times, starts) n(seq, fact_id, stored_at, begins) where n.seq is not null order by n.seq
      loop
        update fact f set superseded_by = moved.fact_id, superseded_at = moved.stored_at, ends_at = least(f.ends_at, moved.begins)
          where f.tenant_id = me and f.seq = moved.seq;
      end loop;
      for moved in
        select s.scope, n.visibility, count(*) as records, count(*) filter (where n.retired is null) as current
        from unnest(owners, visibilities, retired) n(owner, visibility, retired)
        cross join lateral unnest(case when n.owner = '' then array[''] else array['', n.owner] end) s(scope)
        group by s.scope, n.visibility
      loop
        perform svc_count_facts(me, moved.scope, moved.visibility, moved.records, moved.current);
      end loop;
      return query select n.* from unnest(ids, versions, times, confidences) n;
    end loop;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_store_observed_facts(me text, rounds json, batch json, steps jsonb)
 RETURNS TABLE(by_place integer, replaced_id uuid, beginning text, is_cut boolean, replaced_version integer, replaced_at timestamp with time zone)
 LANGUAGE plpgsql
AS $function$
  begin
    return query select * from svc_store_fact_batch(me, rounds, batch);
    perform svc_add_auto_steps(me, steps);
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_store_relation(me text, source bigint, target bigint, of_type text, how_sure real, created bigint, updated bigint, actor text, event uuid)
 RETURNS SETOF relation
 LANGUAGE plpgsql
AS $function$
  declare
    stored relation;
    this_moment bigint := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
  begin
    perform set_config('svc.tenant_id', me, true);
    insert into relation as r (tenant_id, from_id, to_id, edge_type, confidence, created_at_micros, updated_at_micros)
      values (me, source, target, of_type, how_sure, coalesce(created, least(this_moment, updated)),
        coalesce(updated, greatest(this_moment, created)))
      on conflict (tenant_id, from_id, edge_type, to_id) do update set confidence = excluded.confidence,
        updated_at_micros = greatest(excluded.updated_at_micros, r.created_at_micros)
      returning * into stored;
    insert into outbox_event (tenant_id, event_id, kind, subject, data) values (me, event, 'relation.stored', source || ' ' || of_type || ' ' || target,
      jsonb_build_object('from_id', source, 'to_id', target, 'edge_type', of_type, 'confidence', how_sure, 'actor', actor));
    return next stored;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_sync_key(target text, parts text[])
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    select sha256(convert_to(E'svc.sync.key/1\n[' || to_json(target)::text
      || coalesce((select string_agg(',' || to_json(p.part)::text, '' order by p.place) from unnest(parts) with ordinality p (part, place)), '') || ']', 'UTF8'))
  $function$
;

CREATE OR REPLACE FUNCTION public.svc_take_quota(me text, taken_by text, of_surface text, bucket integer, seconds integer)
 RETURNS TABLE(admitted boolean, used integer, ends_in integer)
 LANGUAGE plpgsql
AS $function$
  declare
    starts timestamptz := to_timestamp(floor(extract(epoch from clock_timestamp()) / seconds) * seconds);
    taken int;
  begin
    perform set_config('svc.tenant_id', me, true), set_config('synchronous_commit', 'off', true);
    insert into quota_window as w (tenant_id, principal, surface, window_start, window_seconds, used)
      values (me, taken_by, of_surface, starts, seconds, 1)
      on conflict (tenant_id, principal, surface, window_seconds, window_start) do update set used = w.used + 1 where w.used < bucket
      returning w.used into taken;
    return query select taken is not null, coalesce(taken, bucket),
      greatest(1, ceil(extract(epoch from starts + make_interval(secs => seconds) - clock_timestamp())))::int;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_take_truncation()
 RETURNS TABLE(table_name text, login text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  declare
    target bigint;
    by_role bigint;
  begin
    perform pg_advisory_xact_lock(hashtextextended('svc refused truncation', 0));
    select t.last_value, r.last_value into target, by_role
      from refused_truncation_table t cross join refused_truncation_role r where t.is_called;
    if target is null then
      return;
    end if;
    perform setval('refused_truncation_table', 1, false);
    return query select coalesce((select c.relname::text from pg_class c where c.oid = target::oid), target::text),
      coalesce((select r.rolname::text from pg_roles r where r.oid = by_role::oid), by_role::text);
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_tally_receipts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  declare
    one record;
  begin
    if tg_table_name = 'receipt' then
      insert into receipt_tally (tenant_id, session, family, kind, principal, receipts)
      select tenant_id, s.session, 'execution', kind, actor, count(*)
      from added cross join lateral (values (''), (added.session)) s (session) where s.session is not null group by 1, 2, 4, 5;
    else
      insert into receipt_tally (tenant_id, session, family, kind, principal, receipts)
      select tenant_id, s.session, 'retrieval', 'retrieval', actor, count(*)
      from added cross join lateral (values (''), (added.session)) s (session) where s.session is not null group by 1, 2, 5;
    end if;
    if random() < 0.01 then
      for one in
        select distinct tenant_id as tenant, s.session
        from added cross join lateral (values (''), (added.session)) s (session) where s.session is not null
      loop
        perform svc_fold_tally(one.tenant, one.session);
      end loop;
    end if;
    return null;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_tell_edge(head graph_edge, what text, event uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
    insert into outbox_event (tenant_id, event_id, kind, subject, data) values (head.tenant_id, event, what,
      head.from_kind || '/' || head.from_id || ' ' || head.edge_kind || ' ' || head.to_kind || '/' || head.to_id,
      jsonb_build_object('from_kind', head.from_kind, 'from_id', head.from_id, 'edge_kind', head.edge_kind, 'to_kind', head.to_kind,
        'to_id', head.to_id, 'version', head.version, 'actor', head.updated_by))
  $function$
;

CREATE OR REPLACE FUNCTION public.svc_tell_entity(head graph_entity, what text, actor text, event uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
    insert into outbox_event (tenant_id, event_id, kind, subject, data) values (head.tenant_id, event, what, head.kind || '/' || head.id,
      jsonb_build_object('kind', head.kind, 'id', head.id, 'version', head.version, 'actor', actor))
  $function$
;

CREATE OR REPLACE FUNCTION public.svc_tell_sale(publisher text, event uuid, wanted uuid, facts jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
      declare
        entered text := coalesce(current_setting('svc.tenant_id', true), '');
      begin
        perform set_config('svc.tenant_id', publisher, true);
        insert into outbox_event (tenant_id, event_id, kind, subject, data) values (publisher, event, 'bundle.sold', wanted::text, facts);
        perform set_config('svc.tenant_id', entered, true);
      end $function$
;

CREATE OR REPLACE FUNCTION public.svc_throttle_add(wanted bytea, free integer, first_seconds integer, most_seconds integer)
 RETURNS integer
 LANGUAGE sql
AS $function$
        update throttle set attempts = attempts + 1, counted_at = clock_timestamp(),
          blocked_until = case when attempts + 1 >= free
            then clock_timestamp() + least(most_seconds, first_seconds * 2.0 ^ least(attempts + 1 - free, 30)) * interval '1 second' end
        where subject = wanted
        returning attempts;
      $function$
;

CREATE OR REPLACE FUNCTION public.svc_throttle_row(wanted bytea)
 RETURNS throttle
 LANGUAGE sql
AS $function$
        insert into throttle as t (subject) values (wanted)
        on conflict (subject) do update set
          attempts = case when t.counted_at < clock_timestamp() - interval '1 hour' then 0 else t.attempts end,
          blocked_until = case when t.counted_at < clock_timestamp() - interval '1 hour' then null else t.blocked_until end
        returning *;
      $function$
;

CREATE OR REPLACE FUNCTION public.svc_tool_call_facts(me text, called_by text, wanted_server text, wanted_digest text)
 RETURNS TABLE(facts json, sampling text)
 LANGUAGE plpgsql
AS $function$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query select svc_shield_facts(me, called_by, wanted_server, wanted_digest, null), svc_sampling_fingerprint(me);
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_unknown_receipts(me text, names text[])
 RETURNS SETOF text
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query select n.name from unnest(names) n (name) where not case
      when n.name ~ '^blake3:[0-9a-f]{64}$' then exists (
        select from retrieval_receipt r where r.tenant_id = me and r.record_digest = decode(substr(n.name, 8), 'hex'))
      when n.name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then exists (
        select from receipt r where r.tenant_id = me and r.receipt_id = n.name::uuid)
      else false end;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_use_nonce(hash bytea, seconds integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  begin
    delete from sync_nonce where nonce_hash = any(array(
      select nonce_hash from sync_nonce where expires_at <= clock_timestamp() order by expires_at limit 500 for update skip locked));
    insert into sync_nonce (nonce_hash, expires_at, spent_at)
    values (hash, clock_timestamp() + seconds * interval '1 second', clock_timestamp())
    on conflict do nothing;
    return found;
  end $function$
;

CREATE OR REPLACE FUNCTION public.svc_utc_month()
 RETURNS date
 LANGUAGE sql
 STABLE
AS $function$
    select date_trunc('month', now() at time zone 'UTC')::date
  $function$
;

CREATE OR REPLACE FUNCTION public.svc_vector_type(dimensions integer)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select case when dimensions between 2001 and 4000 and to_regtype('halfvec') is not null then 'halfvec' else 'vector' end
  $function$
;

CREATE OR REPLACE FUNCTION public.svc_visible_shards()
 RETURNS TABLE(tenant_id text, shard_id uuid, corpus_id text, shareability text, language text, generation bigint)
 LANGUAGE plpgsql
 STABLE
AS $function$
      declare
        me text := nullif(current_setting('svc.tenant_id', true), '');
      begin
        return query
          select s.tenant_id, s.shard_id, s.corpus_id, s.shareability, s.language, s.generation
          from index_shard s where s.tenant_id = me
          union all
          select s.tenant_id, s.shard_id, s.corpus_id, s.shareability, s.language, s.generation
          from index_shard s where s.shareability = 'public_safe' and s.tenant_id <> me
          union all
          select s.tenant_id, s.shard_id, s.corpus_id, s.shareability, s.language, s.generation
          from entitlement e join index_shard s on s.tenant_id = e.publisher_tenant_id and s.corpus_id = e.corpus_id
          where e.tenant_id = me and s.shareability = 'entitled_only' and s.tenant_id <> me;
      end $function$
;

grant execute on function svc_add_auto_steps(me text, steps jsonb) to svc_app;
grant execute on function svc_add_fact_batch(me text, batch json) to svc_app;
grant execute on function svc_admit_request(wanted bytea, free integer, first_seconds integer, most_seconds integer) to svc_app;
grant execute on function svc_admit_sign_in(of_address bytea, of_pair bytea, of_tenant bytea, OUT wait integer, OUT mark integer) to svc_app;
grant execute on function svc_agent_standing(wanted_agent uuid, wanted_hash bytea) to public, svc_app;
grant execute on function svc_announce_agent() to public;
grant execute on function svc_announce_key() to public;
grant execute on function svc_announce_passport() to public;
grant execute on function svc_announce_principal_end() to public;
grant execute on function svc_announce_session() to public;
grant execute on function svc_announce_setting() to public;
grant execute on function svc_announce_shield() to public;
grant execute on function svc_announce_tenant() to public;
grant execute on function svc_announce_tenant_end() to public;
grant execute on function svc_append_receipts(me text, receipts json, heads json, events json) to public;
grant execute on function svc_authenticate_agent(wanted_agent uuid, wanted_hash bytea) to svc_app;
grant execute on function svc_authenticate_key(wanted_tenant text, wanted_hash bytea) to svc_app;
grant execute on function svc_authenticate_session(wanted_tenant text, wanted_hash bytea) to svc_app;
grant execute on function svc_blank_sync(me text, keys bytea[]) to svc_app, svc_operator;
grant execute on function svc_check_transfer() to public;
grant execute on function svc_claim_next_work(me text, project text, wanted_labels text[], holder text, asked_by text, ttl integer, new_lease text) to public;
grant execute on function svc_claim_next_works(me text, wanted json) to public;
grant execute on function svc_claim_work(me text, wanted text, holder text, asked_by text, ttl integer, new_lease text) to public;
grant execute on function svc_compact_facts(me text, by_compaction uuid, keep_days integer, most integer) to svc_app;
grant execute on function svc_concerned_watches(owners text[], events uuid[]) to public, svc_operator;
grant execute on function svc_count_bundle_documents(publisher text, wanted uuid) to public, svc_app;
grant execute on function svc_count_bundle_sales(publisher text, wanted uuid) to public, svc_app;
grant execute on function svc_count_facts(me text, of_scope text, of_visibility smallint, more_records bigint, more_current bigint) to public, svc_app;
grant execute on function svc_count_held(me text, wanted_hold uuid) to public;
grant execute on function svc_count_kind(me text, of_kind text, role text, added integer) to public, svc_app;
grant execute on function svc_count_tool_call(me text, called_by text, call_limit integer) to public, svc_app;
grant execute on function svc_count_tool_calls(me text, called_by text, call_limit integer, wanted integer, OUT counted integer, OUT wait integer) to public, svc_app;
grant execute on function svc_delete_edge(me text, source_kind text, source_id text, of_kind text, target_kind text, target_id text, actor text, event uuid) to public, svc_app;
grant execute on function svc_delete_entity(me text, of_kind text, of_id text, actor text, event uuid) to public, svc_app;
grant execute on function svc_emit_approval() to public;
grant execute on function svc_emit_decision() to public;
grant execute on function svc_emit_entitlement() to public;
grant execute on function svc_end_agent_principal() to public;
grant execute on function svc_end_approvals() to public;
grant execute on function svc_end_held() to public;
grant execute on function svc_end_invitations() to public;
grant execute on function svc_end_key() to public;
grant execute on function svc_end_passport() to public;
grant execute on function svc_end_seat() to public;
grant execute on function svc_end_sessions() to public;
grant execute on function svc_end_watches() to public;
grant execute on function svc_enter_facts(me text) to public, svc_app;
grant execute on function svc_erase_found(me text, by_erasure uuid, receipts uuid[], receipt_leaves bytea[], retrievals bytea[]) to svc_app;
grant execute on function svc_erase_records(wanted_tenant text, receipts uuid[], retrievals bytea[]) to svc_operator;
grant execute on function svc_erase_rows(wanted_tenant text, target regclass, at_most integer) to svc_operator;
grant execute on function svc_erasure_rules() to public;
grant execute on function svc_expand_relations(me text, seeds bigint[], wanted text[], most_hops integer, budget integer, least_confidence real, decay double precision, OUT artifacts json, OUT edges_traversed integer, OUT edge_types_used text[], OUT hops_used integer) to public, svc_app;
grant execute on function svc_fact_chain(owner text, entity text, key text) to public, svc_app;
grant execute on function svc_fact_index(me text, known_generation bigint, known int8multirange, most integer) to public, svc_app;
grant execute on function svc_fact_postings(me text, wanted uuid[], firsts bigint[], ends bigint[]) to public, svc_app;
grant execute on function svc_fact_segments(me text, wanted uuid[]) to public, svc_app;
grant execute on function svc_fact_writers(me text) to public, svc_app;
grant execute on function svc_facts_of_entity(me text, of_entity text, of_prefix text, low text, high text, with_history boolean, most integer) to public, svc_app;
grant execute on function svc_facts_to_index(me text, wanted bigint[]) to public, svc_app;
grant execute on function svc_find_entity(me text, of_kind text, of_id text) to public, svc_app;
grant execute on function svc_find_passport(wanted_tenant text, wanted_passport text) to public;
grant execute on function svc_find_peers(wanted_tenant text, wanted_kids text[]) to svc_app;
grant execute on function svc_find_subject(me text, selector jsonb) to svc_app;
grant execute on function svc_find_tenant(wanted_tenant text) to svc_app;
grant execute on function svc_fold_tally(tenant text, of_session text) to public;
grant execute on function svc_forget_note() to public;
grant execute on function svc_found_holds(me text) to svc_app, svc_operator;
grant execute on function svc_found_rows(me text) to svc_app;
grant execute on function svc_found_terms() to svc_app;
grant execute on function svc_grant_table(target regclass) to public;
grant execute on function svc_hold_idempotency_key(me text, called_by text, called_method text, called_path text, called_key text, OUT is_held boolean, OUT request_digest bytea, OUT status integer, OUT body text) to public, svc_app;
grant execute on function svc_holds_data(name text) to svc_app, svc_operator;
grant execute on function svc_holds_on(wanted_tenant text, entity text) to public;
grant execute on function svc_holds_on_any(wanted_tenant text, entities text[]) to public;
grant execute on function svc_index_headers(me text, wanted_tenants text[], wanted uuid[]) to public, svc_app;
grant execute on function svc_index_postings(me text, wanted_tenants text[], wanted uuid[], wanted_terms text[]) to public, svc_app;
grant execute on function svc_index_segments(me text, wanted_tenants text[], wanted uuid[], whole_up_to integer) to public, svc_app;
grant execute on function svc_index_state(me text, known_shards uuid[], known_generations bigint[]) to public, svc_app;
grant execute on function svc_index_vectors(dimensions integer) to svc_app;
grant execute on function svc_is_product() to public;
grant execute on function svc_is_revoked(me text, wanted text) to public;
grant execute on function svc_json_of(given text) to public;
grant execute on function svc_keep_balances() to public;
grant execute on function svc_keep_claim() to public;
grant execute on function svc_keep_gate() to public;
grant execute on function svc_keep_held() to public;
grant execute on function svc_keep_held_rows() to public;
grant execute on function svc_keep_held_table() to public;
grant execute on function svc_keep_hold() to public;
grant execute on function svc_keep_lease() to public;
grant execute on function svc_keep_nonce(hash bytea, ttl_seconds integer, most integer) to svc_app;
grant execute on function svc_keep_owners() to public;
grant execute on function svc_keep_settlement() to public;
grant execute on function svc_key_lookup(wanted_hash bytea) to svc_app, svc_operator;
grant execute on function svc_lock_accounts(wanted text[]) to svc_app, svc_operator;
grant execute on function svc_lock_fact_chain(me text, of_chain bytea) to svc_app;
grant execute on function svc_lock_next_work(me text, project text, wanted_labels text[], holders text[], taken text[], at_most integer) to public;
grant execute on function svc_lower_tier(one text, other text) to public;
grant execute on function svc_memory_vectors(me text, wanted_space integer, wanted_kind text, after bigint, known bigint, most integer) to svc_app;
grant execute on function svc_move_credits(me text, transfer uuid, source text, target text, credits bigint, why text, about text, actor text, agent text, words text) to public, svc_app, svc_operator;
grant execute on function svc_move_fact_index(me text, from_seq bigint, to_seq bigint) to public, svc_app;
grant execute on function svc_names_in(given jsonb) to public;
grant execute on function svc_nearest_memory(me text, wanted_space integer, wanted_kind text, wanted text, dimensions integer, reader text, sees_all boolean, with_reserved boolean, at_most integer) to svc_app;
grant execute on function svc_nearest_vectors(me text, shards uuid[], wanted_model text, wanted text, dimensions integer, at_most integer) to public, svc_app;
grant execute on function svc_next_relations(me text, artifacts bigint[], scores double precision[], wanted text[], least_confidence real, most integer) to public, svc_app;
grant execute on function svc_note_refusal(wanted_tenant text, holds uuid[], entity text, by_principal text, by_auth_mode text, of_table text, of_operation text) to svc_app, svc_operator;
grant execute on function svc_note_tenant() to public;
grant execute on function svc_note_tenant_state() to public;
grant execute on function svc_pay_tenant(buyer text, purchase uuid, agent text, publisher text, price bigint, actor text, words text, allowance bigint) to public, svc_app;
grant execute on function svc_pin_table(target regclass, names text, content text[], gone text) to public;
grant execute on function svc_post_transfer(transfer uuid, why text, about text, actor text, agent text, words text, undone uuid, accounts text[], amounts bigint[]) to public, svc_app, svc_operator;
grant execute on function svc_projects_gating_claims(me text) to public, svc_app;
grant execute on function svc_quarantine_facts(me text, wanted uuid[]) to public;
grant execute on function svc_rebase_events() to public, svc_operator;
grant execute on function svc_record_moves(me text, moves json) to public;
grant execute on function svc_record_retrievals(me text, receipts json, retrievals json) to public, svc_app;
grant execute on function svc_release_agent(wanted_agent uuid, sponsor text, acting text, why text) to public, svc_app;
grant execute on function svc_release_facts(me text, wanted uuid[], kept uuid[]) to public;
grant execute on function svc_remember_retrievals(retrievals json) to public, svc_app, svc_operator;
grant execute on function svc_retire_chain(me text, of_chain bytea, deletion json, batch_id uuid, leaf integer, began timestamp with time zone) to svc_app;
grant execute on function svc_retire_fact_batch(me text, of_chain bytea, deletion json, batch json) to svc_app;
grant execute on function svc_retire_fact_batches(me text, deletions json, batch json) to svc_app;
grant execute on function svc_retrieve(me text, wanted_tenants text[], wanted text[]) to public, svc_app;
grant execute on function svc_reverse_transfer(me text, transfer uuid, undone uuid, why text, about text, actor text, words text) to public, svc_app, svc_operator;
grant execute on function svc_row_writers(me text, of_table text) to svc_app;
grant execute on function svc_sampling_fingerprint(me text) to public, svc_app;
grant execute on function svc_seconds_until(moment timestamp with time zone) to public;
grant execute on function svc_secure_table(target regclass) to public;
grant execute on function svc_set_key_lookup() to public;
grant execute on function svc_settle_export(me text) to svc_app;
grant execute on function svc_settle_facts(me text) to public, svc_app;
grant execute on function svc_shard_vectors(me text, owner text, shard uuid, wanted_model text, after bigint) to public, svc_app;
grant execute on function svc_shield_facts(me text, wanted_principal text, wanted_server text, wanted_digest text, wanted_token bytea) to public, svc_app;
grant execute on function svc_shield_read_switches(me text) to public, svc_app;
grant execute on function svc_shield_stops(me text) to public, svc_app;
grant execute on function svc_sign_in_succeeded(of_address bytea, of_pair bytea, of_tenant bytea, mark integer) to svc_app;
grant execute on function svc_spend(me text, transfer uuid, agent text, credits bigint, target text, why text, about text, actor text, words text, allowance bigint) to public, svc_app, svc_operator;
grant execute on function svc_spend_nonce(hash bytea) to svc_app;
grant execute on function svc_sponsor_agent(wanted_agent uuid, sponsor text, wanted_tier text, acting text) to public, svc_app;
grant execute on function svc_state_root(me text) to public;
grant execute on function svc_store_edge(me text, source_kind text, source_id text, of_kind text, target_kind text, target_id text, content json, actor text, event uuid) to public, svc_app;
grant execute on function svc_store_edges(me text, rounds json, actor text) to public, svc_app;
grant execute on function svc_store_entities(me text, rounds json, actor text) to public, svc_app;
grant execute on function svc_store_entity(me text, of_kind text, of_id text, content json, actor text, event uuid) to public, svc_app;
grant execute on function svc_store_fact_batch(me text, rounds json, batch json) to svc_app;
grant execute on function svc_store_facts(me text, rounds json) to public, svc_app;
grant execute on function svc_store_observed_facts(me text, rounds json, batch json, steps jsonb) to svc_app;
grant execute on function svc_store_relation(me text, source bigint, target bigint, of_type text, how_sure real, created bigint, updated bigint, actor text, event uuid) to public, svc_app;
grant execute on function svc_sync_key(target text, parts text[]) to svc_app, svc_operator;
grant execute on function svc_take_quota(me text, taken_by text, of_surface text, bucket integer, seconds integer) to public;
grant execute on function svc_take_truncation() to svc_operator;
grant execute on function svc_tally_receipts() to public;
grant execute on function svc_tell_edge(head graph_edge, what text, event uuid) to public, svc_app;
grant execute on function svc_tell_entity(head graph_entity, what text, actor text, event uuid) to public, svc_app;
grant execute on function svc_tell_sale(publisher text, event uuid, wanted uuid, facts jsonb) to public, svc_app;
grant execute on function svc_tool_call_facts(me text, called_by text, wanted_server text, wanted_digest text) to public, svc_app;
grant execute on function svc_unknown_receipts(me text, names text[]) to svc_app;
grant execute on function svc_use_nonce(hash bytea, seconds integer) to svc_app;
grant execute on function svc_utc_month() to public, svc_app, svc_operator;
grant execute on function svc_vector_type(dimensions integer) to svc_app, svc_operator;
grant execute on function svc_visible_shards() to public, svc_app;
