//! Why nothing pops up.

use gate_api::subjects::doctor::{Examine, Handler, TestRequest, TestedRequest};
use gate_api::{DoctorReport, Origin};
use gate_core::Fault;

use crate::slices::Gate;

impl Handler for Gate {
    async fn doctor(&self, Examine { popup }: Examine, _: Origin) -> Result<DoctorReport, Fault> {
        self.inner.doctor.report(popup).await
    }

    async fn test_request(&self, _: TestRequest, _: Origin) -> Result<TestedRequest, Fault> {
        Ok(TestedRequest { finding: self.inner.doctor.test_request().await? })
    }
}
