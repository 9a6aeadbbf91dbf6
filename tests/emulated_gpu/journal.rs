//! What a program asked of its devices, as the emulator writes it down (`driver/journal.h`).

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// A kernel, by its name.
    Launch(String),
    /// A product of matrices.
    Product,
    /// A copy to the device; whether the host waits for it.
    ToDevice { waits: bool },
    /// A copy to the host; whether the host waits for it.
    ToHost { waits: bool },
    /// The host waits for the device.
    Wait,
    /// A request for memory.
    Take,
    /// What a broken device refused.
    Refused,
    /// Copies within the device, numbers that are set, memory that is given back.
    Other,
}

/// The calls of one device, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Journal {
    /// Device and call.
    calls: Vec<(usize, Call)>,
}

/// The calls of one forward pass, up to the copy that brings its results to the host.
#[derive(Clone, Debug)]
pub(crate) struct Pass(Vec<Call>);

impl Journal {
    pub(crate) fn read(text: &str) -> Self {
        let call = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            let waits = words.last() == Some(&"pageable");
            let call = match words[1] {
                "launch" => Call::Launch(words[2].to_owned()),
                "product" => Call::Product,
                "to_device" => Call::ToDevice { waits },
                "to_host" => Call::ToHost { waits },
                "wait" => Call::Wait,
                "take" => Call::Take,
                "refused" => Call::Refused,
                _ => Call::Other,
            };
            (words[0].parse().unwrap(), call)
        };
        Self { calls: text.lines().map(call).collect() }
    }

    /// How many calls `is_one` picks.
    pub(crate) fn count(&self, is_one: impl Fn(&Call) -> bool) -> usize {
        self.calls.iter().filter(|(_, call)| is_one(call)).count()
    }

    /// The calls of a device alone.
    pub(crate) fn of(&self, device: usize) -> Self {
        Self { calls: self.calls.iter().filter(|(of, _)| *of == device).cloned().collect() }
    }

    /// The forward passes: what begins with the first rows of an embedding and ends with a copy to the host.
    pub(crate) fn passes(&self) -> Vec<Pass> {
        let is_embedding =
            |call: &Call| matches!(call, Call::Launch(name) if name.starts_with("embedding_"));
        let Some(first) = self.calls.iter().position(|(_, call)| is_embedding(call)) else {
            return Vec::new();
        };
        // What its tables need comes ahead of the first kernel.
        let is_before = |(_, call): &&(usize, Call)| {
            matches!(call, Call::ToDevice { waits: false } | Call::Take | Call::Other)
        };
        let before = self.calls[..first].iter().rev().take_while(is_before).count();
        let mut passes = vec![Pass(Vec::new())];
        for (_, call) in &self.calls[first - before..] {
            if let Some(Pass(calls)) = passes.last_mut() {
                calls.push(call.clone());
            }
            if matches!(call, Call::ToHost { .. }) {
                passes.push(Pass(Vec::new()));
            }
        }
        passes.retain(|Pass(calls)| calls.iter().any(is_embedding));
        passes
    }
}

impl Pass {
    /// How many calls `is_one` picks.
    pub(crate) fn count(&self, is_one: impl Fn(&Call) -> bool) -> usize {
        self.0.iter().filter(|call| is_one(call)).count()
    }

    /// Kernels and products.
    pub(crate) fn launches(&self) -> usize {
        self.count(|call| matches!(call, Call::Launch(_) | Call::Product))
    }

    /// Launches of kernels whose names begin like this.
    pub(crate) fn launches_of(&self, kernel: &str) -> usize {
        self.count(|call| matches!(call, Call::Launch(name) if name.starts_with(kernel)))
    }

    /// The calls from the first launch of such a kernel on.
    pub(crate) fn since(&self, kernel: &str) -> Self {
        let is_one = |call: &Call| matches!(call, Call::Launch(name) if name.starts_with(kernel));
        Self(self.0.iter().skip_while(|call| !is_one(call)).cloned().collect())
    }

    /// Calls that the host waits in.
    pub(crate) fn waits(&self) -> usize {
        let waits = |call: &Call| {
            matches!(
                call,
                Call::ToDevice { waits: true } | Call::ToHost { waits: true } | Call::Wait
            )
        };
        self.count(waits)
    }

    /// Names of the kernels, in order.
    pub(crate) fn kernels(&self) -> Vec<&str> {
        let names = self.0.iter().filter_map(|call| match call {
            Call::Launch(name) => Some(name.as_str()),
            _ => None,
        });
        names.collect()
    }
}
