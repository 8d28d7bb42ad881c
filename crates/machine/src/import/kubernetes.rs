//! Pods of Kubernetes: their requests become weights, their limits quotas, as the kubelet and container
//! runtimes set them.

use serde_json::Value;
use teeter_scenario::Nanos;
use teeter_scenario::document::Cgroup;
use teeter_scenario::limits;

use super::cgroups::{Cgroups, bandwidth, limited, weight_of_shares};
use super::text::{ImportError, shorten};

/// The period of every quota the kubelet sets.
const PERIOD: Nanos = Nanos::from_millis(100);

/// Thousandths of a CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cpu {
    request: u64,
    limit: Option<u64>,
}

/// Reads `kubectl get pods -o json`, or a single pod.
pub(super) fn read(text: &str) -> Result<Cgroups, ImportError> {
    let value: Value = serde_json::from_str(text).map_err(|error| ImportError::At {
        line: error.line(),
        column: error.column().max(1),
        message: format!("expected JSON: {error}"),
    })?;
    let one = std::slice::from_ref(&value);
    let pods = match &value {
        Value::Array(pods) => pods.as_slice(),
        object => object
            .get("items")
            .and_then(Value::as_array)
            .map_or(one, Vec::as_slice),
    };
    let mut read = Cgroups::default();
    let mut burstable = 0;
    for (index, pod) in pods.iter().enumerate() {
        let path = if pods.len() == 1 {
            String::new()
        } else {
            format!("/items/{index}")
        };
        burstable += add_pod(&mut read.cgroups, pod, &path)?;
        limited(&read)?;
    }
    if burstable > 0 {
        let mut class = Cgroup::new("/kubepods/burstable");
        class.weight = weight(burstable);
        read.cgroups.insert(0, class);
    }
    if !read.cgroups.is_empty() {
        read.assumptions.push(
            "the weight of /kubepods is not told: it is 100, as that of the rest of the machine"
                .to_owned(),
        );
    }
    Ok(read)
}

/// Takes in a pod; gives what it requests if it is a burstable one.
fn add_pod(cgroups: &mut Vec<Cgroup>, pod: &Value, path: &str) -> Result<u64, ImportError> {
    let whole = |message: String| ImportError::Whole(message);
    // Of what makes pods, the pods it makes.
    let (pod, spec) = match pod.pointer("/spec/template/spec") {
        Some(spec) => (pod, Some(spec)),
        None => (pod, pod.get("spec")),
    };
    let containers = spec
        .and_then(|spec| spec.get("containers"))
        .and_then(Value::as_array);
    let containers = containers.ok_or_else(|| {
        whole(format!(
            "{path}/spec/containers: expected the containers of a pod"
        ))
    })?;
    let name = pod
        .pointer("/metadata/name")
        .and_then(Value::as_str)
        .unwrap_or("pod");
    let mut cpus = Vec::new();
    for (index, container) in containers.iter().enumerate() {
        let path = format!("{path}/spec/containers/{index}/resources");
        cpus.push(container_cpu(container, &path)?);
    }
    let request = cpus
        .iter()
        .map(|cpu| cpu.request)
        .fold(0, u64::saturating_add);
    let limit = cpus.iter().try_fold(0_u64, |sum, cpu| {
        cpu.limit.map(|limit| sum.saturating_add(limit))
    });
    let guaranteed = request > 0 && cpus.iter().all(|cpu| cpu.limit == Some(cpu.request));
    let class = if guaranteed {
        ""
    } else if request == 0 && cpus.iter().all(|cpu| cpu.limit.is_none()) {
        "/besteffort"
    } else {
        "/burstable"
    };
    let base = format!("/kubepods{class}/{}", step(name));
    cgroups.push(cgroup(base.clone(), Cpu { request, limit }));
    for (index, (container, &cpu)) in containers.iter().zip(&cpus).enumerate() {
        let own = container.get("name").and_then(Value::as_str);
        let own = own.map_or_else(|| format!("container{index}"), step);
        cgroups.push(cgroup(format!("{base}/{own}"), cpu));
    }
    Ok(if class == "/burstable" { request } else { 0 })
}

fn cgroup(path: String, cpu: Cpu) -> Cgroup {
    let mut cgroup = Cgroup::new(path);
    cgroup.weight = weight(cpu.request);
    let millionths = cpu.limit.map(|limit| limit.saturating_mul(1_000));
    cgroup.max = bandwidth(millionths, PERIOD);
    cgroup
}

/// cpu.weight for so many thousandths of a CPU.
fn weight(request: u64) -> u32 {
    weight_of_shares(request.saturating_mul(1_024) / 1_000)
}

/// A name as one step of a path, cut to the length that one may have.
fn step(name: &str) -> String {
    let end = name.floor_char_boundary(limits::CGROUP_NAME.min(name.len()));
    name[..end].replace('/', "-")
}

/// What a container asks for, and what it may have: a limit alone is a request as well.
fn container_cpu(container: &Value, path: &str) -> Result<Cpu, ImportError> {
    let amount = |of: &str| -> Result<Option<u64>, ImportError> {
        let value = container.pointer(&format!("/resources/{of}/cpu"));
        let text = match value {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        let amount = thousandths(&text);
        amount.map(Some).ok_or_else(|| {
            ImportError::Whole(format!(
                "{path}/{of}/cpu: expected CPUs such as `500m` or `2`, found `{}`",
                shorten(&text)
            ))
        })
    };
    let (request, limit) = (amount("requests")?, amount("limits")?);
    Ok(Cpu {
        request: request.or(limit).unwrap_or(0),
        limit,
    })
}

/// `500m`, `2` or `0.5` in thousandths, rounded up.
fn thousandths(text: &str) -> Option<u64> {
    if let Some(milli) = text.strip_suffix('m') {
        return milli.parse().ok();
    }
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{part:0<3}");
    if digits.len() > 9 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let parts: u64 = digits.parse().ok()?;
    let parts = parts.div_ceil(10_u64.pow(digits.len() as u32 - 3));
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(1_000)?
        .checked_add(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PODS: &str = r#"{ "kind": "List", "items": [
        { "metadata": { "name": "web" }, "spec": { "containers": [
            { "name": "app", "resources": { "requests": { "cpu": "500m" }, "limits": { "cpu": "1" } } },
            { "name": "side", "resources": {} } ] } },
        { "metadata": { "name": "db" }, "spec": { "containers": [
            { "name": "sql", "resources": { "limits": { "cpu": 2 } } } ] } },
        { "metadata": { "name": "batch" }, "spec": { "containers": [ { "name": "job" } ] } } ] }"#;

    #[test]
    fn requests_are_weights_and_limits_quotas() {
        let read = read(PODS).unwrap();
        let line = |cgroup: &Cgroup| format!("{} {} {}", cgroup.path, cgroup.weight, cgroup.max);
        let lines: Vec<String> = read.cgroups.iter().map(line).collect();
        assert_eq!(
            lines,
            [
                "/kubepods/burstable 20 max 100000",
                "/kubepods/burstable/web 20 max 100000",
                "/kubepods/burstable/web/app 20 100000 100000",
                "/kubepods/burstable/web/side 1 max 100000",
                "/kubepods/db 79 200000 100000",
                "/kubepods/db/sql 79 200000 100000",
                "/kubepods/besteffort/batch 1 max 100000",
                "/kubepods/besteffort/batch/job 1 max 100000",
            ]
        );
    }

    #[test]
    fn amounts_of_cpu() {
        for (text, amount) in [("250m", 250), ("2", 2_000), ("0.5", 500), ("1.0005", 1_001)] {
            assert_eq!(thousandths(text), Some(amount), "{text}");
        }
        for text in ["", "x", "-1", "1.", "1.0000000001", "99999999999999999999"] {
            let expected = (text == "1.").then_some(1_000);
            assert_eq!(thousandths(text), expected, "{text}");
        }
        let bad = PODS.replace("500m", "half");
        assert_eq!(
            read(&bad).unwrap_err().to_string(),
            "/items/0/spec/containers/0/resources/requests/cpu: expected CPUs such as `500m` or `2`, found `half`"
        );
    }
}
