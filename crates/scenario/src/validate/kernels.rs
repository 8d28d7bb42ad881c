//! `kernels`; whether a kernel, rule or tunable of that name exists is known further up.

use super::Report;
use crate::document::Kernel;
use crate::limits;
use crate::problem::join;

pub(super) fn check(kernels: &[Kernel], report: &mut Report) {
    if kernels.is_empty() {
        report.add("/kernels", "there is no kernel");
    }
    report.length("/kernels", "kernels", kernels.len(), limits::KERNELS);
    for (i, kernel) in kernels.iter().enumerate() {
        let path = format!("/kernels/{i}");
        report.name(&path, &kernel.base);
        let rules = format!("{path}/rules");
        report.length(&rules, "rules", kernel.rules.len(), limits::SETTINGS);
        for name in kernel.rules.keys() {
            report.name(&join(&rules, name), name);
        }
        report.settings(&format!("{path}/set"), &kernel.set);
        if let Some(label) = &kernel.label {
            report.name(&format!("{path}/label"), label);
        }
    }
}
