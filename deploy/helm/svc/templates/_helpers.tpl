{{- define "svc.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "svc.labels" -}}
{{ include "svc.release" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end -}}

{{- define "svc.release" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Of one app: dict "root" $ "app" name. */}}
{{- define "svc.selector" -}}
{{ include "svc.release" .root }}
app.kubernetes.io/component: {{ .app }}
{{- end -}}

{{- define "svc.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- define "svc.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "svc.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* A number of a file of values is a float, which would be written with an exponent from a million on. */}}
{{- define "svc.text" -}}
{{- if and (kindIs "float64" .) (eq (printf "%.0f" . | float64) .) -}}
{{- printf "%.0f" . -}}
{{- else -}}
{{- . -}}
{{- end -}}
{{- end -}}

{{/* Of one app or the job: dict "root" $ "env" map "secretEnv" list. Its own variables come after those of all. */}}
{{- define "svc.env" -}}
- name: NODE_ENV
  value: production
- name: SVC_DATA_DIR
  value: /data
- name: SVC_SHUTDOWN_DELAY_SECS
  value: {{ .root.Values.shutdown.delaySeconds | quote }}
- name: SVC_SHUTDOWN_DRAIN_SECS
  value: {{ .root.Values.shutdown.drainSeconds | quote }}
- name: SVCD_SHUTDOWN_DRAIN_SECS
  value: {{ .root.Values.shutdown.drainSeconds | quote }}
{{- if .root.Values.secrets.signingKeyName }}
- name: SVC_SIGNING_KEY_FILE
  value: /keys/signing-key.pem
{{- end }}
{{- if .root.Values.checkpoints.existingClaim }}
- name: SVC_CHECKPOINT_DIR
  value: /checkpoints
{{- end }}
{{- $api := printf "http://%s-api:%v" (include "svc.fullname" .root) .root.Values.apps.api.ports.http }}
{{- $daemon := printf "http://%s-daemon:%v" (include "svc.fullname" .root) .root.Values.apps.daemon.ports.http }}
{{- /* One by one: the function that joins dicts takes 0 and false for absent. */}}
{{- $all := dict "SVC_API_URL" $api "SVC_DAEMON_URL" $daemon }}
{{- range $values := list .root.Values.common.env .env }}
{{- range $name, $value := $values }}
{{- $_ := set $all $name (include "svc.text" $value) }}
{{- end }}
{{- end }}
{{- range $name, $value := $all }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range concat .root.Values.common.secretEnv .secretEnv | uniq }}
- name: {{ . }}
  valueFrom:
    secretKeyRef:
      name: {{ $.root.Values.secrets.name }}
      key: {{ . }}
{{- end }}
{{- end -}}

{{- /* The variables of the ports that an app listens on. */ -}}
{{- define "svc.ports" -}}
{{- $variables := dict
  "api.http" "SVC_API_PORT"
  "tools.http" "SVC_TOOLS_PORT"
  "daemon.http" "SVCD_HTTP_PORT"
  "daemon.mcp" "SVCD_MCP_PORT"
  "daemon.grpc" "SVCD_GRPC_PORT" }}
{{- range $port, $number := .ports }}
- name: {{ get $variables (printf "%s.%s" $.app $port) }}
  value: {{ $number | quote }}
{{- end }}
{{- end -}}

{{- define "svc.mounts" -}}
- name: data
  mountPath: /data
- name: tmp
  mountPath: /tmp
{{- if .Values.secrets.signingKeyName }}
- name: keys
  mountPath: /keys
  readOnly: true
{{- end }}
{{- if .Values.checkpoints.existingClaim }}
- name: checkpoints
  mountPath: /checkpoints
{{- end }}
{{- end -}}

{{- define "svc.volumes" -}}
- name: data
  emptyDir:
    sizeLimit: {{ .Values.dataVolume.sizeLimit }}
- name: tmp
  emptyDir:
    sizeLimit: 256Mi
{{- with .Values.secrets.signingKeyName }}
- name: keys
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
{{- with .Values.checkpoints.existingClaim }}
- name: checkpoints
  persistentVolumeClaim:
    claimName: {{ . }}
{{- end }}
{{- end -}}
